package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCustomTools(t *testing.T) {
	const entry = `{"name":"adder","owner":"ann","description":"Adds.","enabled":true,"version":3,"permissions":["network"],"hosts":[],"risk":"low","shared_version":2`
	want := CustomTool{
		Name:          "adder",
		Owner:         "ann",
		Description:   "Adds.",
		Enabled:       true,
		Version:       3,
		Permissions:   []string{"network"},
		Hosts:         []string{},
		Risk:          "low",
		SharedVersion: 2,
	}
	answer := func(a asked) reply {
		switch {
		case a.op == "custom.list":
			return reply{body: `{"tools":[` + entry + `}]}`}
		case a.op == "custom.get":
			return reply{body: entry + `,"code":"return 1"}`}
		case a.op == "custom.versions":
			return reply{body: `{"versions":[{"version":3},{"version":2,"shared":true}]}`}
		case a.op == "custom.share" && a.body["version"] != 3.0:
			return reply{status: 409, body: `{"error_type":"conflict","detail":"another one is current"}`}
		case a.op == "custom.share", a.op == "custom.toggle":
			return reply{body: entry + "}"}
		}
		return reply{body: `{}`}
	}
	for name, start := range transports {
		t.Run(name, func(t *testing.T) {
			f := start(t, answer)
			c := connect(t, f)
			list, err := c.CustomTools(t.Context(), "ann")
			if diff := cmp.Diff([]CustomTool{want}, list); err != nil || diff != "" || f.last().body["owner"] != "ann" {
				t.Errorf("CustomTools asked %+v: %v (-want +got):\n%s", f.last(), err, diff)
			}
			one, err := c.CustomTool(t.Context(), "adder", "ann")
			if err != nil || one.Code != "return 1" || f.last().body["name"] != "adder" || f.last().body["owner"] != "ann" {
				t.Errorf("CustomTool asked %+v: %+v, %v", f.last(), one, err)
			}
			if got, err := c.CustomToolVersions(t.Context(), "adder", "ann"); err != nil || len(got) != 2 || got[0].Version != 3 || !got[1].Shared ||
				f.last().body["name"] != "adder" || f.last().body["owner"] != "ann" {
				t.Errorf("CustomToolVersions asked %+v: %+v, %v", f.last(), got, err)
			}
			if got, err := c.ShareCustomTool(t.Context(), "adder", "ann", 3); err != nil || !cmp.Equal(want, got) || f.last().op != "custom.share" ||
				f.last().body["owner"] != "ann" {
				t.Errorf("ShareCustomTool asked %+v: %+v, %v", f.last(), got, err)
			}
			if _, err := c.ShareCustomTool(t.Context(), "adder", "", 2); err == nil {
				t.Error("ShareCustomTool of another version is no error")
			}
			if _, err := c.ToggleCustomTool(t.Context(), "adder", "ann", false); err != nil || f.last().body["enabled"] != false {
				t.Errorf("ToggleCustomTool asked %+v: %v", f.last(), err)
			}
			if err := c.UnshareCustomTool(t.Context(), "adder"); err != nil || f.last().op != "custom.unshare" {
				t.Errorf("UnshareCustomTool asked %+v: %v", f.last(), err)
			}
			if err := c.DeleteCustomTool(t.Context(), "adder", "ann"); err != nil || f.last().op != "custom.delete" ||
				f.last().body["owner"] != "ann" {
				t.Errorf("DeleteCustomTool asked %+v: %v", f.last(), err)
			}
			before := f.count()
			if err := c.DeleteCustomTool(t.Context(), "a/b", ""); err == nil || f.count() != before {
				t.Errorf("DeleteCustomTool of a bad name: %v, want an error without a request", err)
			}
		})
	}
}
