# Made by 'weir help --completion' from the tables that parse the options: completion for bash, and for zsh
# behind `autoload -U bashcompinit && bashcompinit`.
_weir_names() { # KIND...: their names
  local kind
  for kind; do weir list "$kind" 2>/dev/null | awk '/^[^ ]/ {print $1}'; done
}
_weir() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do # behind --: a program and its arguments
    [ "${COMP_WORDS[i]}" != -- ] || { COMPREPLY=($(compgen -f -- "$word")); return; }
  done
  [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD-2]}
  [ "$word" != = ] || { before=${COMP_WORDS[COMP_CWORD-1]} word=; }
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W 'run compare sweep advise look study check sl1 hint list store report bench gpu trace help --help --version' -- "$word"))
    return
  fi
  case $command in
  run) options='--chip= --scheme= --size= --set= --registers= --ptxas --sl1 --hint= --hints= --seed= --input= --step-limit= --strict --kernels= --launches= --max-launches= --warm --cpu-instructions= --gpu-instructions= --warmup= --functional --jobs= --json --output= --plugin= --help' ;;
  compare) options='--chip= --scheme= --schemes= --bound --size= --set= --registers= --ptxas --sl1 --hint= --hints= --seed= --input= --step-limit= --cpu-instructions= --gpu-instructions= --warmup= --strict --kernels= --launches= --max-launches= --warm --ignore-output= --jobs= --store= --no-store --json --csv --chart --ascii --svg= --plugin= --help' ;;
  sweep) options='--store= --jobs= --shard= --dry-run --status --slurm --tasks= --known= --csv --step-limit= --plugin= --help' ;;
  advise) options='--chip= --scheme= --lines= --runs= --budget= --perturb= --html= --remedies --bound --chips= --output= --patch= --size= --set= --registers= --sl1 --hint= --hints= --seed= --input= --step-limit= --strict --jobs= --json --plugin= --help' ;;
  look) options='--chip= --scheme= --cache= --core= --slice= --launch= --only-set= --log= --output= --step --max-events= --size= --set= --registers= --sl1 --hint= --hints= --seed= --input= --step-limit= --json --plugin= --help' ;;
  study) options='--size= --figure= --mixes= --cpu-instructions= --gpu-instructions= --warmup= --jobs= --seed= --csv= --results= --from= --check= --sample= --cells --chart --ascii --svg= --json --store= --help' ;;
  check) options='--all --symbols --registers --chip= --plugin= --help' ;;
  sl1) options='--output= --set= --report --help' ;;
  hint) options='--output= --patch= --hint= --hints= --help' ;;
  list) options='--json --plugin= --help' ;;
  store) options='--store= --program= --chip= --scheme= --where= --csv --json --output= --dry-run --all --help' ;;
  report) options='--output= --program= --chip= --scheme= --where= --help' ;;
  bench) options='--chip= --seed= --csv= --help' ;;
  gpu) options='--sl1 --threads= --repeat= --size= --seed= --input= --json --csv --help' ;;
  trace) options='--output= --skip= --length= --phases --interval= --seed= --info --misses --json --help' ;;
  help) options='--schema --completion --help' ;;
  esac
  case $before in
  --chip | --chips) COMPREPLY=($(compgen -W "$(_weir_names chips)" -f -- "$word")); return ;;
  --scheme | --schemes) COMPREPLY=($(compgen -W "$(_weir_names schemes)" -f -- "$word")); return ;;
  --size) COMPREPLY=($(compgen -W 'small paper' -- "$word")); return ;;
  esac
  case $command:$word in
  *:-*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
  help:*) COMPREPLY=($(compgen -W 'run compare sweep advise look study check sl1 hint list store report bench gpu trace help' -- "$word")) ;;
  list:*) COMPREPLY=($(compgen -W 'workloads cpu-programs chips schemes policies' -- "$word")) ;;
  run:* | compare:* | advise:* | look:*) COMPREPLY=($(compgen -W "$(_weir_names workloads cpu-programs)" -f -- "$word")) ;;
  *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
  case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o filenames -F _weir weir
