package upstream

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestPage holds what docs/mcp-upstream.md says to the code: its example is read without
// a complaint, and its tables have the fields there are.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/mcp-upstream.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	_, rest, _ := strings.Cut(page, "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	servers, problems, err := parse([]byte(example), func(string) (string, bool) { return "x", true })
	if err != nil || len(servers) != 2 || len(problems) != 0 {
		t.Errorf("the example is %d servers, %v, %v", len(servers), problems, err)
	}
	rows := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			rows[name[1]] = true
		}
	}
	fields := map[string]bool{}
	for _, typ := range []reflect.Type{reflect.TypeFor[Server](), reflect.TypeFor[Settings]()} {
		for field := range typ.Fields() {
			if name := field.Tag.Get("json"); name != "" && name != "-" {
				fields[name] = true
			}
		}
	}
	for name := range fields {
		if !rows[name] {
			t.Errorf("no table has the field %s", name)
		}
	}
	for name := range rows {
		if !fields[name] && name != "timeout" && name != "execution_error" {
			t.Errorf("a table has the field %s, which there is not", name)
		}
	}
	for _, says := range []string{
		"--mcp", "`mcp_file`", "mcp_github", "`upstream_changed`", "helve_upstream`",
		"helve_upstream_up{server}", "helve_upstream_restarts_total{server}", "helve_upstream_withheld_tools{server}",
		"helve_upstream_call_seconds{server,outcome}",
	} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %s", says)
		}
	}
}
