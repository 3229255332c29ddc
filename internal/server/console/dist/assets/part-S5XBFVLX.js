import"/assets/part-YV722HL4.js";var r=`# HelveCircuitOpen

## Meaning

A server outside, such as an API, a web site or a mail server, has failed ten times in a row for a tenant for minutes: it could not be reached, did not answer in time, or answered 502, 503 or 504.

## Effect

Requests of that tenant to that server end immediately in \`network_error\` with the seconds until the next try, on the workers where it failed. Every ten seconds one request tries it. Other tenants and other servers are not affected.

## Confirm

- \`helve doctor --server URL\`, part \`circuits\`, names the server, the tenant and the workers.
- The log lines \`circuit opened\` of the workers name the tenant and the server.
- \`helve_circuit_openings_total\` rises with each try that fails.
- Dashboard Dependencies, panel Servers outside that fail.

## Fix

1. If it is a server of yours, repair it. If it is a provider's, read the provider's status page.
2. If no server fails, look for what is between: DNS, a firewall, the route of the workers' network.
3. If the address is wrong, correct it in the entry of the service (\`helve config set\`).
4. Nothing needs a restart: the first request that works closes the circuit.
`;export{r as default};
