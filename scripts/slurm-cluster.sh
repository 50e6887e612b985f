#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the weir authors

# scripts/slurm-cluster.sh start|stop FOLDER: a Slurm cluster of one node, this machine, for tests: munged, slurmctld and slurmd, with keys,
# sockets, logs and state below FOLDER and ports of their own, beside whatever else runs here. `start` returns once it takes jobs;
# SLURM_CONF=FOLDER/slurm.conf is what sbatch and squeue then need. Needs root, as slurmd does.
set -euo pipefail
action=$1 folder=$(mkdir -p "$2" && cd "$2" && pwd)
export PATH=$PATH:/usr/sbin:/sbin SLURM_CONF=$folder/slurm.conf

stop() {
  local name pid
  for name in slurmd slurmctld munged; do
    [ -s "$folder/$name.pid" ] || continue
    pid=$(cat "$folder/$name.pid")
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null && sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  done
}

start() {
  local port host
  port=$((20000 + $$ % 20000))
  host=$(hostname -s)
  chmod 755 "$folder"
  mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
  chmod 700 "$folder/munge"
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge/key")
  cat >"$SLURM_CONF" <<END
ClusterName=weir
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=2
InactiveLimit=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  munged --force --key-file="$folder/munge/key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge/seed"
  slurmctld -f "$SLURM_CONF"
  slurmd -f "$SLURM_CONF"
  for _ in $(seq 100); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && return
    sleep 0.2
  done
  echo "the cluster takes no jobs:"
  tail -n 20 "$folder"/*.log
  return 1
}

case $action in
start) start || {
  stop
  exit 1
} ;;
stop) stop ;;
*) exit 2 ;;
esac
