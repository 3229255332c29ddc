import"/assets/part-YV722HL4.js";var t=`# HelveNATSSlow

## Meaning

A request to JetStream takes more than 250 ms.

## Effect

Every call takes several times as long. Heartbeats may come late, and calls are delivered again.

## Confirm

- \`helve_nats_round_trip_seconds\` shows the network alone: if it is as long, the network or the server's CPU is slow; if it is short, the disk is.
- On the NATS servers: load, disk latency (\`iostat -x 1\`), \`nats server report jetstream\`.

## Fix

1. Give the NATS servers faster disks and CPUs of their own.
2. Place dispatchers and workers near the servers.
3. With \`sync_interval: always\` each write waits for the disk; see docs/deploy.md.
`;export{t as default};
