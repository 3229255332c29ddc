package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUpstream(t *testing.T) {
	const entry = `{"tool":"gh_put","server":"gh","upstream":"put","state":"changed","accepted":"sha256:1","seen":"sha256:2","worker":"w-1"`
	want := Upstream{Tool: "gh_put", Server: "gh", Name: "put", State: "changed", Accepted: "sha256:1", Seen: "sha256:2", Worker: "w-1"}
	answer := func(a asked) reply {
		switch {
		case a.op == "upstream.accept" && a.body["hash"] != "sha256:2":
			return reply{status: 409, body: `{"error_type":"conflict","detail":"another one waits"}`}
		case a.op == "upstream.accept":
			return reply{body: entry + "}"}
		case a.body["name"] != nil:
			return reply{body: `{"tools":[` + entry + `,"seen_definition":{"a":1}}]}`}
		}
		return reply{body: `{"tools":[` + entry + `}]}`}
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			list, err := c.Upstreams(t.Context())
			if diff := cmp.Diff([]Upstream{want}, list); err != nil || diff != "" {
				t.Errorf("Upstreams: %v (-want +got):\n%s", err, diff)
			}
			one, err := c.Upstream(t.Context(), "gh_put")
			if err != nil || string(one.SeenDefinition) != `{"a":1}` || f.last().body["name"] != "gh_put" {
				t.Errorf("Upstream asked %+v: %+v, %v", f.last(), one, err)
			}
			got, err := c.AcceptUpstream(t.Context(), "gh_put", "sha256:2")
			if diff := cmp.Diff(want, got); err != nil || diff != "" || f.last().body["name"] != "gh_put" {
				t.Errorf("AcceptUpstream asked %+v: %v (-want +got):\n%s", f.last(), err, diff)
			}
			if _, err := c.AcceptUpstream(t.Context(), "gh_put", "sha256:1"); err == nil {
				t.Error("AcceptUpstream of another hash is no error")
			}
			asked := f.count()
			if _, err := c.AcceptUpstream(t.Context(), "a/b", "sha256:2"); err == nil || f.count() != asked {
				t.Errorf("AcceptUpstream of a bad name: error %v, want one without a request", err)
			}
		})
	}
}
