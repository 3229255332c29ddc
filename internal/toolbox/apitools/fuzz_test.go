package apitools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/tool"
)

// FuzzDocument: whatever a document holds, each tool that is made of it is valid: its
// schema compiles, which nothing checks again before the first call, and neither its texts
// nor its names hide anything.
func FuzzDocument(f *testing.F) {
	for _, paths := range []string{styles, bodies, secured, plainAPI, methods} {
		f.Add([]byte("openapi: 3.0.3\nservers: [{url: 'https://a.example/{v}', variables: {v: {default: v1}}}]\npaths:\n" + paths))
	}
	f.Add([]byte(`{"openapi":"3.1.0","servers":[{"url":"http://h"}],"paths":{"/a/{b}":{"post":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/c/d"}}}}}}},
		"c":{"d":{"type":["object","null"],"properties":{"a":{"$ref":"#/c/d"},"b":{"enum":[1,1.0,"x"],"default":3,"pattern":"(a{9}){9}"}},"allOf":[{"$ref":"#/c/d"},{"required":["z","z"]}],"oneOf":[{"minimum":1e400}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := document{api: API{Name: "f", Document: "f", Service: Binding{All: "s"}}}
		if err := d.fill(text, "default"); err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			return
		}
		names := map[string]bool{}
		for _, o := range d.offers {
			if _, err := schema.Compile(o.def.Parameters); err != nil {
				t.Errorf("%s: %v\n%s", o.op.ID, err, o.def.Parameters)
			}
			if _, err := tool.NewUntyped(o.def, 0, tool.Untyped{}); err != nil {
				t.Errorf("%s: %v", o.op.ID, err)
			}
			if names[o.def.Name] || foreign.Hidden(o.def.Description) || !json.Valid(o.shown) || foreign.Hidden(strings.Join(o.def.Tags, "")) {
				t.Errorf("%s is offered as %+v", o.op.ID, o.def)
			}
			names[o.def.Name] = true
		}
	})
}
