package js_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/js"
)

// TestSurveyOfAFile: the calls of a file are found where its function gets tools under that name,
// with their lines in the file.
func TestSurveyOfAFile(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"// A file.\nasync function execute(params, tools, program) {\n  await tools.a.b({x: 1});\n}": "a.b 3:9",
		"const execute = async (params, tools) => { await tools.a() };":                               "a 1:50",
		"let execute = async function (params, tools) { tools.a(); inner(x => tools.b()) };":          "a 1:48,b 1:70",
		"async function execute(params, t) { await t.a(); }":                                          "",
		"async function other(params, tools) { tools.a(); } function execute() {}":                    "",
		"async function execute(params, tools) { var tools = x; tools.a(); }":                         "",
		"async function execute(params, tools) { { let tools = x; tools.a(); } tools.b(); }":          "b 1:71",
	} {
		uses, err := js.Survey("f.js", js.DurableBody(file, "execute"), true)
		var got []string
		for _, u := range uses {
			got = append(got, fmt.Sprintf("%s %d:%d", u.Name, u.Line, u.Column))
		}
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("%s: %q, %v, want %s", file, got, err, want)
		}
	}
}
