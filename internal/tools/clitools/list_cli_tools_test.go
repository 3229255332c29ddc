package clitools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestListCLITools(t *testing.T) {
	w := newWorld(t, acme+`  label: deploy
  data: {program: deployer, description: "Ships it.", category: ops, risk: "75", network: "true", version_args: "about me"}
`+acme+`  label: quiet
  data: {program: deployer}
`+acme+`  label: git
  data: {policy: blocked}
`+acme+`  label: barred
  data: {program: forbidden, risk: "90", version_args: "--version"}
`)
	w.script("deployer", `[ "$*" = "about me" ] && echo "deployer v12.3.4-rc.1 (c) 2026" >&2; touch ran`)
	w.script("forbidden", `echo 1.2.3`)
	w.script("rg", `exec sleep 600`)
	w.script("jq", `while :; do echo 1.7.9; done`)
	w.script("shfmt", `exit 1`)
	tooltest.Run(t, Set, "list_cli_tools", w.call, []tooltest.Case{{Name: "all", Check: func(t *testing.T, res tool.Result) {
		var r listResult
		if err := json.Unmarshal(res.Value, &r); err != nil {
			t.Fatal(err)
		}
		if r.Total != len(catalogue)+3 || r.Count != r.Total || r.Truncated || len(r.Tools) != r.Total || r.Installed < 6 {
			t.Errorf("total %d, count %d, installed %d, truncated %v, %d tools", r.Total, r.Count, r.Installed, r.Truncated, len(r.Tools))
		}
		if !slices.IsSortedFunc(r.Tools, func(a, b *listed) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("the tools are not in order")
		}
		for _, want := range []string{
			`{"name":"deploy","description":"Ships it.","category":"ops","installed":true,"version":"12.3.4-rc.1","riskLevel":"medium","riskScore":75,"policy":"prompt","network":true,"npxPackage":null,"custom":true}`,
			`{"name":"barred","description":"A tool of the operator's own.","category":"custom","installed":true,"version":null,"riskLevel":"high","riskScore":90,"policy":"blocked","network":false,"npxPackage":null,"custom":true}`,
			`{"name":"quiet","description":"A tool of the operator's own.","category":"custom","installed":true,"version":null,"riskLevel":"medium","riskScore":60,"policy":"prompt","network":false,"npxPackage":null,"custom":true}`,
			`{"name":"svgo","description":"Makes SVG files smaller.","category":"code","installed":false,"version":null,"riskLevel":"medium","riskScore":45,"policy":"prompt","network":false,"npxPackage":"svgo","custom":false}`,
			`"name":"rg","description":"Finds lines in trees of files by a pattern, fast.","category":"text","installed":true,"version":null,`,
			`"name":"jq","description":"Selects and changes JSON.","category":"text","installed":true,"version":"1.7.9",`,
			`"name":"shfmt","description":"Formats shell scripts.","category":"code","installed":true,"version":null,`,
		} {
			if !strings.Contains(string(res.Value), want) {
				t.Errorf("the list has no %s", want)
			}
		}
		for _, l := range r.Tools {
			if l.Name == "git" && l.Policy != blocked || l.Name == "docker" && l.RiskLevel != "high" {
				t.Errorf("%+v", l)
			}
		}
	}}})
}
