package tools

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/tsdecl"
	"github.com/helve-dev/helve/internal/lib/tsdecl/tsctest"
)

// useOfTools is a program of a model: the compiler finds its results and its mistakes.
const useOfTools = `
const open = await tools.list_tasks({ status: "pending", limit: 5 });
const titles: string[] = open.tasks.map(t => t.title);
const text: unknown = await tools.files.read_text({ path: titles[0] ?? "a.txt" });
await tools.get_current_time();
// @ts-expect-error path is required
await tools.read_file({});
// @ts-expect-error the status is none of the values
await tools.list_tasks({ status: "never" });
// @ts-expect-error there is no such parameter
await tools.list_tasks({ state: "pending" });
// @ts-expect-error there is no such tool
await tools.list_task({});
// @ts-expect-error there is no such member of a result
open.titles;
console.log(text);
declare const console: { log(...values: unknown[]): void };
`

// TestDeclarationsCompile: the declarations of all built-in tools are TypeScript, alone and
// together.
func TestDeclarationsCompile(t *testing.T) {
	var all []tsdecl.Function
	var each strings.Builder
	for _, tl := range every() {
		f := tsdecl.Function{Name: tl.Name, Description: tl.Description, Args: tl.Parameters, Result: tl.ResultSchema}
		all = append(all, f)
		each.WriteString(tsdecl.Declare(f))
	}
	tsctest.Check(t, tsdecl.Declare(all...), useOfTools)
	tsctest.Check(t, each.String(), useOfTools)
}
