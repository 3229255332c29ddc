package services

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := parse([]byte(`
- service: weatherapi
  data: {api_key: abc}
- tenant: acme
  user: ann
  service: Mail of the house
  label: work account
  default: true
  active: false
  data:
    port: 0587
    ssl: true
    empty: ""
    since: 2020-01-02
    note: "ü\nb"
`))
	want := book{
		{"default", "", "weatherapi"}: {{Label: "default", Active: true, Shared: true, Data: map[string]string{"api_key": "abc"}}},
		{"acme", "ann", "Mail of the house"}: {{
			Label: "work account", Default: true, Shared: true,
			Data: map[string]string{"port": "0587", "ssl": "true", "empty": "", "since": "2020-01-02", "note": "ü\nb"},
		}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); err != nil || diff != "" {
		t.Errorf("parse: %v, -want +got\n%s", err, diff)
	}
	if got, err := parse([]byte("[]")); err != nil || len(got) != 0 {
		t.Errorf("parse of no entries = %v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	entry := func(lines ...string) string {
		return "- service: s\n  data: {k: " + secret + "}\n" + strings.Join(append([]string{""}, lines...), "\n  ") + "\n"
	}
	for name, tt := range map[string]struct{ text, want string }{
		"empty":               {"# none yet\n", "it is empty"},
		"a mapping":           {"service: " + secret, "must hold a list"},
		"two documents":       {entry() + "---\n" + entry(), "more than one YAML document"},
		"a bad second":        {entry() + "---\n[" + secret, "it is not YAML"},
		"no YAML":             {"- service: [" + secret, "line"},
		"an unknown anchor":   {"- service: *" + secret, "it is not YAML"},
		"a bad escape":        {`- data: "` + secret + `\q"`, "it is not YAML"},
		"no mapping":          {"- " + secret, "entry 1, line 1: line 1 must be a mapping"},
		"an unknown field":    {entry("password: " + secret), "field at line 4: there is no such field"},
		"a value as a field":  {entry(secret + ": x"), "there is no such field"},
		"no service":          {"- data: {k: " + secret + "}", "service is missing"},
		"no data":             {"- service: " + secret, "data is missing"},
		"empty data":          {"- service: s\n  data: {}", "data is missing"},
		"data as text":        {"- service: s\n  data: " + secret, "must be a mapping"},
		"data in data":        {"- service: s\n  data: {k: {l: " + secret + "}}", "it must be text"},
		"a list in data":      {"- service: s\n  data: {k: [" + secret + "]}", "it must be text"},
		"nothing in data":     {"- service: s\n  data: {" + secret + "}", "it has no value"},
		"a field twice":       {"- service: s\n  data: {k: a, k: " + secret + "}", "stands twice"},
		"a label twice":       {entry("label: a", "label: b"), "stands twice"},
		"a field unnamed":     {"- service: s\n  data: {\"\": " + secret + "}", "the name of a field"},
		"a list as a field":   {"- service: s\n  data: {[" + secret + "]: a}", "it must be text"},
		"an alias":            {"- service: &x s\n  data: {k: " + secret + ", l: *x}", "alias"},
		"a service too long":  {"- service: " + strings.Repeat(secret, 5) + "\n  data: {k: a}", "it is not a name"},
		"a service on lines":  {"- service: \"a\\nb\"\n  data: {k: a}", "it is not a name"},
		"a tenant with a dot": {entry("tenant: a.b"), "field at line 4: it is not a name"},
		"a user with a space": {entry("user: a b"), "it is not a name"},
		"a null user":         {entry("user: null"), "it has no value"},
		"default as text":     {entry("default: " + secret), "true or false"},
		"active as a number":  {entry("active: 1"), "true or false"},
		"the same again":      {entry() + entry(), "entry 2, line 4: there is an entry of the same"},
		"two defaults":        {entry("default: true") + entry("default: true", "label: b"), "only one may be"},
	} {
		b, err := parse([]byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || b != nil {
			t.Errorf("%s: %d entries, %v, want an error with %q", name, len(b), err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the value: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(several))
	f.Add([]byte("- service: s\n  data: {k: [}"))
	f.Add([]byte("- service: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parse(text)
		if (err == nil) != (b != nil) {
			t.Fatalf("parse = %v, %v", b, err)
		}
		for at, list := range b {
			if at.tenant == "" || at.service == "" || len(list) == 0 || len(list[0].Data) == 0 {
				t.Errorf("parse took %s", fmt.Sprint(at, len(list)))
			}
			for i, e := range list {
				if e.Default && i > 0 {
					t.Error("a default entry does not stand in front")
				}
			}
		}
	})
}

var _ tool.Secrets = view{}
