#!/usr/bin/env bash
# The lab's command line: wrong words and numbers are named with the way out, before anything is started.
set -u
. tests/support/scenario.sh
lab=tests/lab/lab
export XDG_RUNTIME_DIR=$work/run XDG_CACHE_HOME=$work/cache
mkdir "$XDG_RUNTIME_DIR" "$work/comma,folder" "$work/folder"

# Should one of these be taken for a good command line after all, no image is built and no machine started.
mkdir "$work/without"
ln -s /bin/false "$work/without/debootstrap"
PATH=$work/without:$PATH

expect 0 'lab up \[OPTIONS\]' $lab --help
expect 0 'Options of up' $lab up --help
expect 2 'lab up \[OPTIONS\]' $lab
expect 2 "unknown 'dwon' \(did you mean 'down'\?\)" $lab dwon
expect 2 "unknown '--shrae' \(did you mean '--share'\?\)" $lab up --shrae 9p
expect 2 "unknown '--nonsense'; there is:" $lab up --nonsense
expect 2 "\-\-share: unknown 'virtofs' \(did you mean 'virtiofs'\?\)" $lab up --share virtofs
expect 2 "\-\-share: unknown 'xyzzy'; there is: virtiofs 9p reverse-sshfs" $lab up --share xyzzy
expect 2 "\-\-share: wants a value" $lab up --share
expect 2 "\-\-disk: unknown 'qcow' \(did you mean 'qcow2'\?\)" $lab up --disk qcow
for size in 0 4095 1048577 -1 128k 99999999999999999999 0x2000; do
    expect 2 "\-\-msize: '$size' is not a whole number from 4096 to 1048576" $lab up --share 9p --msize "$size"
done
expect 2 "belong to --share 9p" $lab up --share virtiofs --msize 131072
expect 2 "\-\-cache: unknown 'lose' \(did you mean 'loose'\?\)" $lab up --share 9p --cache lose
expect 2 "\-\-cache: unknown 'mmap'.*auto always none" $lab up --share virtiofs --cache mmap
expect 2 "reverse-sshfs has no cache modes" $lab up --share reverse-sshfs --cache none
expect 2 "\-\-memory: '1' is not" $lab up --memory 1
expect 2 "\-\-nfs-squash belongs to --nfs" $lab up --nfs-squash all
expect 2 "\-\-nfs-squash: unknown 'al' \(did you mean 'all'\?\)" $lab up --nfs --nfs-squash al
[ "$(id -u)" != 0 ] || expect 2 "'$work/folder' belongs to root" $lab up --nfs --nfs-squash root --dir "$work/folder"
expect 2 'build: takes nothing but --images' $lab build --image
for name in UPPER a/b ../up -dash '' "$(printf 'x%.0s' {1..33})" 'two words'; do
    expect 2 "cannot name a machine|--name: wants a value" $lab up --name "$name"
    expect 2 "cannot name a machine" $lab down "$name"
done
expect 2 "'$work/missing' is not a directory" $lab up --dir "$work/missing"
expect 2 "holds a comma" $lab up --dir "$work/comma,folder"
expect 2 "the machine has files of its own" $lab up --dir /
expect 2 "the machine has files of its own" $lab up --dir /etc
expect 2 "down: which one" $lab down
expect 1 "'ghost' is not up" $lab status ghost
expect 0 "'ghost' is not up" $lab down ghost
expect 0 '^$' $lab list
long=$work/$(printf 'long%.0s' {1..20})
mkdir "$long"
expect 2 "the system's limit is 103" env XDG_RUNTIME_DIR="$long" $lab up --share 9p --dir "$work/folder"

# Without QEMU: what is missing, and the package that has it.
mkdir "$work/bin"
for tool in bash readlink dirname id sed env; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
expect 1 'missing: qemu-system-x86_64.*apt-get install qemu-system-x86' env PATH="$work/bin" $lab up --share 9p --dir "$work/folder"
[ ! -e "$XDG_RUNTIME_DIR/mountbench-lab/9p" ] || fail 'a failed up leaves its state'

# A process that got the number of a machine that is gone is not that machine.
sleep 60 &
bystander=$!
mkdir -p "$XDG_RUNTIME_DIR/mountbench-lab/gone"
echo "$bystander 1" >"$XDG_RUNTIME_DIR/mountbench-lab/gone/process"
expect 0 '^state dead$' $lab status gone
expect 0 "'gone' is down" $lab down gone
kill -0 $bystander || fail 'down has killed a process that is none of its machine'
kill $bystander
[ ! -e "$XDG_RUNTIME_DIR/mountbench-lab/gone" ] || fail 'down leaves what is left of a machine'
exit 0
