#!/usr/bin/env bash
# A matrix of 10,000 cells: one engine, 100 mounts, 100 workloads.
echo 'name: big'
echo 'engines: [default]'
echo 'mounts:'
for i in $(seq 100); do echo "  - {name: volume-$i, type: tmpfs, size: ${i}MiB}"; done
echo 'workloads:'
for i in $(seq 100); do echo "  - {name: write-$i, type: seq-write, block: 1KiB, total: ${i}KiB}"; done
echo 'rounds: 3'
