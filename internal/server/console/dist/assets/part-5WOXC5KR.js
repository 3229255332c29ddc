import"/assets/part-YV722HL4.js";var t=`# HelveStreamRepaired

## Meaning

Something other than Helve deleted or altered a stream, a bucket or a consumer of Helve, and Helve made it again or changed it back.

## Effect

None now. What a deleted stream held may be lost; [cluster.md](../cluster.md) says what for each. It happens again until the cause is found.

## Confirm

- \`increase(helve_stream_repairs_total[1h]) > 0\` names the streams.
- The log of dispatchers and workers has \`stream was missing, made again\`, \`stream was altered, settings changed back\` or \`consumer not as it must be, made again\`.

## Fix

1. Find what administers NATS beside Helve: a script, an operator's \`nats\` command, a tool that applies stream definitions (NACK, Terraform). Take Helve's streams out of it.
2. Give Helve an account of its own with credentials for each role (\`helve nats-auth\`, [nats-auth.md](../nats-auth.md)), so that other clients cannot change its streams.
`;export{t as default};
