package calls

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// model counts the bytes that pass through a model: the calls that it writes, and their results.
type model struct {
	t      *testing.T
	tenant string
	calls  int
	bytes  int
}

// call makes one call as a model does, and returns its result.
func (m *model) call(name string, args any) json.RawMessage {
	m.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		m.t.Fatal(err)
	}
	e := system.One(m.t, shared.HTTP(0), m.tenant, fmt.Sprintf(`{"tool": %q, "arguments": %s}`, name, text))
	if e.Status != "success" {
		m.t.Fatalf("%s = %+v", name, e)
	}
	m.calls++
	m.bytes += len(name) + len(text) + len(e.Result)
	return e.Result
}

func (m *model) program(code string) string {
	m.t.Helper()
	return string(m.call("run_program", map[string]string{"code": code}))
}

// result decodes the result of a call.
func result[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

type content struct{ Content string }

const (
	invoices = 40
	logLines = 1500
	lengths  = 30
)

// task is a task of docs/programs.md, done by calls one at a time and by a program.
type task struct {
	name    string
	prepare func(write func(path, text string))
	byCalls func(t *testing.T, m *model) string
	code    string
}

var tasks = []task{
	{
		name: "Add up the totals of 40 invoices",
		prepare: func(write func(path, text string)) {
			for i := range invoices {
				write(fmt.Sprintf("invoices/%02d.txt", i), fmt.Sprintf("Invoice %d\n%sTotal: %d EUR\n", i, strings.Repeat("Item, 2 pieces, 5 EUR each\n", 30), 100+i))
			}
		},
		byCalls: func(t *testing.T, m *model) string {
			t.Helper()
			files := result[struct{ Files []struct{ Name string } }](t, m.call("list_files", map[string]string{"path": "invoices"}))
			var terms []string
			for _, f := range files.Files {
				text := result[content](t, m.call("read_file", map[string]string{"path": "invoices/" + f.Name})).Content
				terms = append(terms, regexp.MustCompile(`Total: (\d+)`).FindStringSubmatch(text)[1])
			}
			sum := result[struct{ Result json.Number }](t, m.call("calculate", map[string]string{"expression": strings.Join(terms, "+")}))
			return sum.Result.String()
		},
		code: `const {files} = await tools.list_files({path: "invoices"});
const texts = await Promise.all(files.map(f => tools.read_file({path: "invoices/" + f.name})));
return texts.reduce((sum, t) => sum + Number(t.content.match(/Total: (\d+)/)[1]), 0);`,
	},
	{
		name: "Find the host with the most errors in a log",
		prepare: func(write func(path, text string)) {
			var text strings.Builder
			for i := range logLines {
				fmt.Fprintf(&text, "2026-11-20T12:00:00Z host-%d %s request %06d took 12 ms\n", i*i%7, []string{"info", "error", "info"}[i%3], i)
			}
			write("app.log", text.String())
		},
		byCalls: func(t *testing.T, m *model) string {
			t.Helper()
			text := result[content](t, m.call("read_file", map[string]string{"path": "app.log"})).Content
			counts, most := map[string]int{}, ""
			for _, found := range regexp.MustCompile(`(host-\d) error`).FindAllStringSubmatch(text, -1) {
				if counts[found[1]]++; most == "" || counts[found[1]] > counts[most] {
					most = found[1]
				}
			}
			return strconv.Quote(most)
		},
		code: `const {content} = await tools.read_file({path: "app.log"});
const counts = {};
for (const [, host] of content.matchAll(/(host-\d) error/g)) counts[host] = (counts[host] || 0) + 1;
return Object.keys(counts).sort((a, b) => counts[b] - counts[a])[0];`,
	},
	{
		name: "Convert 30 lengths and add them up",
		byCalls: func(t *testing.T, m *model) string {
			t.Helper()
			var terms []string
			for i := range lengths {
				to := result[struct{ To struct{ Value json.Number } }](t, m.call("convert_units", map[string]any{"value": i + 1, "from": "km", "to": "m"}))
				terms = append(terms, to.To.Value.String())
			}
			sum := result[struct{ Result json.Number }](t, m.call("calculate", map[string]string{"expression": strings.Join(terms, "+")}))
			return sum.Result.String()
		},
		code: `let sum = 0;
for (let km = 1; km <= 30; km++) sum += (await tools.convert_units({value: km, from: "km", to: "m"})).to.value;
return sum;`,
	},
}

// TestProgramsSaveBytes: the tasks of docs/programs.md have the same answers by calls one at a
// time and by one program, and the page has the bytes that pass through the model.
func TestProgramsSaveBytes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/programs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		tenant := system.NewTenant()
		if task.prepare != nil {
			task.prepare(func(path, text string) {
				(&model{t: t, tenant: tenant}).call("write_file", map[string]string{"path": path, "content": text})
			})
		}
		single, whole := &model{t: t, tenant: tenant}, &model{t: t, tenant: tenant}
		want, got := task.byCalls(t, single), whole.program(task.code)
		if got != want {
			t.Errorf("%s: the program returns %s, the calls %s", task.name, got, want)
		}
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(task.name) + ` \| (\d+) \| ([\d,]+) \| ([\d,]+) \|$`).FindSubmatch(page)
		if row == nil || string(row[1]) != strconv.Itoa(single.calls) || !near(row[2], single.bytes) || !near(row[3], whole.bytes) {
			t.Errorf("docs/programs.md has %q, measured are %d calls with %d bytes, and a program with %d bytes",
				row, single.calls, single.bytes, whole.bytes)
		}
		if !strings.Contains(string(page), task.code) {
			t.Errorf("docs/programs.md lacks the program of %q", task.name)
		}
	}
}

// near reports whether a number of the page is within a twentieth of what was measured: times
// and sizes in results may have more digits.
func near(text []byte, measured int) bool {
	n, err := strconv.Atoi(strings.ReplaceAll(string(text), ",", ""))
	return err == nil && max(n-measured, measured-n)*20 <= measured
}
