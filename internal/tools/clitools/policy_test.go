package clitools

import (
	"slices"
	"strings"
	"testing"
)

func TestPolicy(t *testing.T) {
	all, err := known(t.Context(), secrets(t, acme+`  label: git
  data: {policy: blocked}
`+acme+`  label: docker
  data: {policy: allowed}
`+acme+`  label: jq
  data: {policy: allow}
`+acme+`  label: rg
  data: {risk: "101"}
`+acme+`  label: node
  data: {network: "sure"}
`+acme+`  label: curl
  data: {network: "true", policy: prompt, description: "Ours.", category: web}
`+acme+`  label: mine
  data: {program: rm, version_args: "-V"}
`+acme+`  label: evil
  data: {program: ../../bin/sh}
`+acme+`  label: nothing
  data: {policy: allowed}
- tenant: acme
  user: u1
  service: cli_tools
  label: mine
  data: {program: echo, policy: allowed}
- tenant: acme
  user: u1
  service: cli_tools
  label: git
  data: {policy: allowed, risk: "1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*program{}
	for i := range all {
		got[all[i].name] = &all[i]
	}
	for name, want := range map[string]policy{
		"git": blocked, "docker": allowed, "jq": blocked, "rg": blocked, "node": blocked, "curl": prompt, "mine": allowed, "evil": blocked,
		"wc": allowed, "python3": prompt, "kubectl": blocked,
	} {
		if p := got[name]; p == nil || p.rule() != want {
			t.Errorf("policy of %s = %v, want %s", name, p, want)
		}
	}
	if p := got["curl"]; !p.network || p.does != "Ours." || p.category != "web" || p.custom {
		t.Errorf("curl = %+v", p)
	}
	if p := got["mine"]; p.executable() != "echo" || !p.custom || p.risk != customRisk || len(p.versionArgs()) != 0 {
		t.Errorf("mine = %+v, want the person's own entry", p)
	}
	if got["nothing"] != nil {
		t.Error("an entry without a program became a tool")
	}
	if _, err := got["jq"].permit(nil); err == nil || !strings.Contains(err.Error(), "policy that cannot be read") {
		t.Errorf("permit of a broken entry = %v", err)
	}
	if !slices.IsSortedFunc(all, func(a, b program) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the programs are not in order")
	}
}

func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range catalogue {
		if seen[p.name] || !nameForm.MatchString(p.name) || p.risk < 0 || p.risk > maxRisk || p.category == "" ||
			!strings.HasSuffix(p.does, ".") {
			t.Errorf("entry %+v", p)
		}
		seen[p.name] = true
	}
	for _, r := range raises {
		for name := range strings.FieldsSeq(r.programs) {
			if !seen[name] {
				t.Errorf("arguments of %q raise the risk, but it is not in the catalogue", name)
			}
		}
	}
}

func TestRiskOfArguments(t *testing.T) {
	by := func(name string) program {
		at := slices.IndexFunc(catalogue, func(p program) bool { return p.name == name })
		return catalogue[at]
	}
	for _, tt := range []struct {
		call    string
		risk    int
		refused bool
	}{
		{"git status", 30, false},
		{"git push --force", 90, true},
		{"git push origin main", 60, false},
		{"git -c core.sshCommand=sh fetch", 90, true},
		{"git clone --upload-pack=sh x", 90, true},
		{"git log --grep=push", 30, false},
		{"find . -name x", 20, false},
		{"find . -delete", 60, false},
		{"find . -exec sh", 80, false},
		{"fd -x rm", 80, false},
		{"rg --pre sh x", 90, true},
		{"tar -I sh -xf x", 90, true},
		{"tar -xf x", 30, false},
		{"awk BEGIN{system(\"id\")}", 90, true},
		{"sqlite3 :memory: .shell", 90, true},
		{"sed -i s/a/b/ x", 50, false},
		{"python3 -c 1", 80, false},
		{"npm publish", 100, true},
		{"wc -l", 5, false},
	} {
		words := strings.Fields(tt.call)
		p := by(words[0])
		risk, err := p.permit(words[1:])
		if risk != tt.risk || (err != nil) != tt.refused {
			t.Errorf("permit(%s) = %d, %v, want %d, refused %v", tt.call, risk, err, tt.risk, tt.refused)
		}
	}
	rm := program{name: "cleanup", file: "rm", risk: customRisk, args: []string{"-rf"}}
	if risk, err := rm.permit([]string{"x"}); risk != maxRisk || err == nil {
		t.Errorf("rm -rf = %d, %v, want %d and refused", risk, err, maxRisk)
	}
	rm.policy = allowed
	if _, err := rm.permit([]string{"x"}); err != nil {
		t.Errorf("what the operator allowed was refused: %v", err)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add([]byte("a\xffä€"), 3)
	f.Fuzz(func(t *testing.T, out []byte, most int) {
		most = max(0, most%100)
		text, cut := readable(out, most)
		if n := len([]rune(text)); n > most || cut && n != most || strings.ToValidUTF8(text, "") != text {
			t.Errorf("readable(%q, %d) = %q, %v", out, most, text, cut)
		}
	})
}
