package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	p := of(t, Options{}, `// what applies to everybody
@id("near") @narrow_hosts("a.example") permit(principal, action == Action::"execute", resource);
@id("ready") permit(principal, action == Action::"auto_approve", resource in Group::"web");
  @id("careful") forbid(principal, action == Action::"auto_approve", resource == Tool::"http_request");
@id("other") forbid(principal, action, resource == Tool::"write_file");
`)
	got := p.Explain(call(httpRequest, "{}"))
	file := p.InForce().Files[0]
	if got.Decision.Rule != "careful" || got.Table.Rule != "table:medium-mutates" || got.At != file+":4:3" {
		t.Errorf("Explain = %+v, want rule careful at its place over the table's row", got)
	}
	want := []RuleFinding{
		{Rule: "near", At: file + ":2:1", Effect: "permit", Action: "execute"},
		{Rule: "careful", At: file + ":4:3", Effect: "forbid", Action: "auto_approve"},
		{Rule: "ready", At: file + ":3:1", Effect: "permit", Action: "auto_approve"},
	}
	if diff := cmp.Diff(want, got.Rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(p.Decide(call(httpRequest, "{}")), got.Decision); diff != "" {
		t.Errorf("Explain decides otherwise than Decide:\n%s", diff)
	}
}

func TestExplainTable(t *testing.T) {
	t.Parallel()
	p := of(t, Options{}, "")
	if got := p.Explain(call(httpRequest, "{}")); got.At != "" || got.Rules != nil || !cmp.Equal(got.Decision, got.Table) {
		t.Errorf("Explain = %+v, want the table and nothing else", got)
	}
	if got := p.Explain(Input{}); got.Decision.Outcome != Refuse {
		t.Errorf("Explain of nothing = %+v, want a refusal", got)
	}
}

// TestExplainFailure: the operator reads why a rule failed; the caller reads
// only which one.
func TestExplainFailure(t *testing.T) {
	t.Parallel()
	p := of(t, Options{},
		`@id("broken") permit(principal, action == Action::"auto_approve", resource) when { context.arguments.to like "*@a.example" };`)
	got := p.Explain(call(httpRequest, `{"url": "secret"}`))
	if got.Decision.Rule != "broken" || len(got.Rules) != 1 || !strings.Contains(got.Rules[0].Error, "does not have the attribute `to`") {
		t.Errorf("Explain = %+v, want the rule's failure", got)
	}
	if strings.Contains(got.Decision.Reason, "attribute") {
		t.Errorf("Reason = %q, want no cause in it", got.Decision.Reason)
	}
}
