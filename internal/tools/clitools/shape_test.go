package clitools

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// lists reads argument lists, each with its program first.
func lists(t *testing.T, name string) (all [][]string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			words := strings.Fields(line)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "␣", " ")
			}
			all = append(all, words)
		}
	}
	return all
}

// riskOf returns the risk of a call as its check sets it, or that it is refused.
func riskOf(t *testing.T, call tool.Call, words []string) (risk tool.Risk, refused bool) {
	t.Helper()
	call.Risk = ""
	err := checkRun(t.Context(), &call, runArgs{Name: words[0], Args: words[1:]})
	if e, ok := errors.AsType[*tool.Error](err); err != nil && !ok {
		t.Fatalf("%q: %v is not an error of a tool", words, e)
	}
	return call.Risk, err != nil
}

func TestAttacksAreAsked(t *testing.T) {
	call := tool.Call{
		Tenant:  "acme",
		User:    "u1",
		Secrets: secrets(t, acme+"  label: deploy\n  data: {program: deployer, policy: allowed, risk: \"5\"}\n"),
	}
	all := lists(t, "attacks.txt")
	if len(all) < 200 {
		t.Errorf("only %d attacks", len(all))
	}
	for _, words := range all {
		if risk, refused := riskOf(t, call, words); !refused && risk == tool.Low {
			t.Errorf("%q runs without consent", words)
		}
	}
}

func TestReadingIsNotAsked(t *testing.T) {
	call := tool.Call{Tenant: "acme", User: "u1", Secrets: secrets(t, "")}
	for _, words := range lists(t, "unasked.txt") {
		if risk, refused := riskOf(t, call, words); refused || risk != tool.Low {
			t.Errorf("%q needs consent: risk %q, refused %v", words, risk, refused)
		}
	}
}

// TestOperatorsProgramsAreAsked: a shape belongs to a known program, without the network,
// under its own name and policy.
func TestOperatorsProgramsAreAsked(t *testing.T) {
	call := tool.Call{Tenant: "acme", User: "u1", Secrets: secrets(t, acme+`  label: jq
  data: {program: sh}
`+acme+`  label: wc
  data: {policy: prompt}
`+acme+`  label: grep
  data: {network: "true"}
`+acme+`  label: sort
  data: {args: "-o doc.txt"}
`+acme+`  label: tree
  data: {risk: "50", policy: allowed}
`+acme+`  label: diff
  data: {args: "-u"}
`)}
	for _, line := range []string{"jq . a.json", "wc a", "grep x a", "sort a", "tree ."} {
		if risk, refused := riskOf(t, call, strings.Fields(line)); refused || risk == tool.Low {
			t.Errorf("%s: risk %q, refused %v, want consent", line, risk, refused)
		}
	}
	if risk, _ := riskOf(t, call, []string{"diff", "a", "b"}); risk != tool.Low {
		t.Errorf("diff with an operator's harmless argument: risk %q", risk)
	}
}
