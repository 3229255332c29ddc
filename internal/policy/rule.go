package policy

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"

	"github.com/helve-dev/helve/tool"
)

// rule is one statement of a rule file.
type rule struct {
	id, reason string
	policy     *cedar.Policy
	permit     bool
	// execute and approve are set for the actions that its head names.
	execute, approve bool
	narrow           *tool.Scopes
	allowHigh        bool
	// principal and resource are its keys in the index; zero is any.
	principal, resource types.EntityUID
	reads               reads
}

// at returns the position of the rule: file:line:column.
func (r *rule) at() string { return where(r.policy.Position()) }

func where(p cedar.Position) string {
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}

// problem is an error in a rule, with its position.
type problem struct {
	at   string
	text string
}

// Error returns file:line:column and the sentence.
func (p *problem) Error() string { return p.at + ": " + p.text }

// newRule parses a statement. Name is its name if it has no @id.
func newRule(p *cedar.Policy, name string) (*rule, []error) {
	tree := (*ast.Policy)(p.AST())
	r := &rule{id: name, policy: p, permit: p.Effect() == cedar.Permit}
	c := &checker{at: r.at()}
	r.execute, r.approve = c.actions(tree.Action)
	r.principal = c.head("principal", tree.Principal)
	r.resource = c.head("resource", tree.Resource)
	for _, cond := range tree.Conditions {
		c.condition(cond.Body)
	}
	r.reads = c.reads
	c.annotate(r, tree.Annotations)
	c.effect(r, tree.Action)
	return r, c.problems
}

var idPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`) })

// annotate parses the annotations of a rule.
func (c *checker) annotate(r *rule, annotations []ast.AnnotationType) {
	for _, a := range annotations {
		value := string(a.Value)
		switch a.Key {
		case "id":
			if !idPattern().MatchString(value) {
				c.addf("@id is letters, digits, '.', '_' and '-', at most 128 of them, not %q", value)
			}
			r.id = value
		case "reason":
			if r.reason = strings.TrimSpace(value); r.reason == "" {
				c.addf("@reason is empty; write one sentence for the person who is told")
			}
		case "narrow_paths":
			r.scopes().Paths = c.list(a.Key, value)
		case "narrow_hosts":
			r.scopes().Hosts = c.list(a.Key, value)
		case "narrow_apps":
			r.scopes().Apps = c.list(a.Key, value)
		case "allow_high":
			if r.allowHigh = value == "true"; !r.allowHigh {
				c.addf(`@allow_high is "true" or is left out, not %q`, value)
			}
		default:
			c.addf("@%s is unknown; use id, reason, narrow_paths, narrow_hosts, narrow_apps or allow_high, and a comment for the rest", a.Key)
		}
	}
}

func (r *rule) scopes() *tool.Scopes {
	if r.narrow == nil {
		r.narrow = &tool.Scopes{}
	}
	return r.narrow
}

func (c *checker) list(key types.AnnotationKey, value string) []string {
	items := strings.Split(value, ",")
	for i, item := range items {
		if items[i] = strings.TrimSpace(item); items[i] == "" {
			c.addf("@%s has an empty entry; separate entries by one comma", key)
			return nil
		}
	}
	return items
}

// effect refuses a rule that would do nothing, or more than it seems to.
func (c *checker) effect(r *rule, action ast.IsActionScopeNode) {
	_, every := action.(ast.ScopeTypeAll)
	switch {
	case r.permit && every:
		c.addf(`a permit must name its action, since one for every action would spare every confirmation: write action == Action::"auto_approve" if that is meant`)
	case r.permit && !r.approve && r.narrow == nil:
		c.addf("this permit does nothing, since whatever is not forbidden may be executed: give it @narrow_paths, @narrow_hosts or " +
			"@narrow_apps, or forbid the rest")
	case !r.permit && r.narrow != nil:
		c.addf("a forbid narrows nothing: put the annotation on a permit")
	}
	if r.allowHigh && (!r.permit || !r.approve) {
		c.addf("@allow_high belongs to a permit of auto_approve")
	}
}

// sentence returns the reason for people, or else fallback with the rule's name.
func (r *rule) sentence(fallback string) string {
	if r.reason != "" {
		return r.reason
	}
	return fmt.Sprintf(fallback, r.id)
}
