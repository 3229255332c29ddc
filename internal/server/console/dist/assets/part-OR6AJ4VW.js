import"/assets/part-YV722HL4.js";var o=`# HelveStuckCalls

## Meaning

A tool still runs although its call was answered, with a timeout or a cancellation. The tool does not stop when its context ends.

## Effect

No call is lost. The tool holds memory and perhaps files or connections; the worker drains more slowly.

## Confirm

- \`helve_stuck_calls\` by instance names the worker.
- The log lines \`call finished\` with \`"error_type":"timeout"\` of that worker name the tool.
- \`/debug/pprof/goroutine?debug=2\` on the admin listener, with \`telemetry.pprof\`, shows where it waits.

## Fix

1. Repair the tool: it must return when \`ctx.Done()\` is closed.
2. Restart the worker when it is drained. Its other calls are delivered to other workers.
`;export{o as default};
