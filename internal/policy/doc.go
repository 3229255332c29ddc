// Package policy decides whether a call runs, is refused, or waits for a
// person: the table of risks, then the operator's own rules in Cedar.
//
// # The table
//
// [Table] is pure code and decides without rules, by the profile of the tenant:
// strict asks for every change and for medium reads, standard asks for
// medium changes, auto asks for nothing. High risk asks for a person's
// approval of this very call, except under auto.
//
// # The rules
//
// Rules may refuse a call, force or spare its confirmation, and narrow what it
// reaches. Whatever is not forbidden may be executed; no rule need permit it.
//
//	principal  Caller::"tenant/user/agent" in Tenant::"t", User::"t/u", Agent::"t/a"
//	           attributes tenant, user, agent: text, "" where the call names none
//	action     Action::"execute", Action::"auto_approve"
//	resource   Tool::"name" in Group::"g", Category::"c", Risk::"low|medium|high"
//	           attributes name, group, category, risk, kind: text; mutates (this
//	           call), destructive, open_world: booleans; paths, hosts, apps: sets
//	context    arguments; time (datetime), hour (0 to 23, UTC), weekday (1 is
//	           Monday); conversation, origin: text
//
//	forbid execute        the call is refused
//	permit execute        narrows the call, by the annotations below
//	forbid auto_approve   a call that would run asks
//	permit auto_approve   a call that would ask runs; not at high risk, unless the
//	                      rule says @allow_high("true"): code then runs with
//	                      nobody having seen it
//
// Annotations: @id names the rule (else it is FILE#N), @reason is the sentence
// people and models read, @narrow_paths, @narrow_hosts and @narrow_apps are
// comma-separated scopes. The narrowing of a permit of auto_approve applies if
// that rule let the call run.
//
// # What it promises
//
// A forbid wins over every permit, and of several the first in the order of
// files decides. A rule that fails to evaluate refuses the call. A rule that
// could never match or would do nothing (a wrong entity type, a misspelled
// attribute or annotation) is refused when it is loaded, with file, line and
// column, and then none of the new rules holds: the old ones stay. [Policy.Decide]
// does no I/O, never panics, and may be called from many goroutines.
//
// # Arguments
//
// They are read from the same bytes the tool decodes, with exact names; a name
// that comes twice refuses the call. Text, booleans and objects are themselves.
// An array is a set, so order and repetition are lost. A null is left out. A
// whole number is a long, also when written 5.0 or 1e3; a fraction of at most
// four digits is a decimal; every other number is its text. Only the top-level
// names that some rule reads are looked at, and at most 4096 values of them.
//
// A path or an address is text here: "a/../b" is like "a/*". Decide by it, but
// enforce with @narrow_paths and @narrow_hosts, which bind the ports.
//
// # What is indexed
//
// The resource (== Tool, in Group, Category or Risk) and the principal (==
// Caller, in Tenant, User or Agent) of a rule's head. A decision evaluates only
// rules whose head fits the call, so thousands of rules about other tools or
// tenants cost nothing; a thousand that name neither in the head cost each
// call a tenth of a millisecond. Conditions are not indexed.
package policy
