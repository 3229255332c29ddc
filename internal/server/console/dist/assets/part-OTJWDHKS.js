import"/assets/part-YV722HL4.js";var r=`# HelveUpstreamDown

## Meaning

No worker of a process is connected to an MCP server of \`mcp_file\`.

## Effect

Its tools fail with \`tool_not_available\`.

## Confirm

- \`helve_upstream_restarts_total\` rises with each attempt.
- The log lines \`mcp server connection failed; retrying\` name the reason.
- \`helve upstream list\` lists the servers and their tools.

## Fix

1. Start the server, or correct its URL, command or credentials in \`mcp_file\`.
2. Workers connect again by themselves, after at most a minute.
`;export{r as default};
