package token

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// The forms of names (docs/protocol.md, Names), and that of schema.Hash.
var (
	nameForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	idForm    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
	callForm  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}(~[0-9]{1,4}){0,6}$`)
	traceForm = regexp.MustCompile(`^[0-9a-f]{32}$`)
	hashForm  = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// check refuses claims that no use could satisfy, and reports everything that is wrong.
func (c Claims) check() error {
	var errs []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	need(idForm.MatchString(c.ID), "the token id must match %s", idForm)
	need(nameForm.MatchString(c.Tenant), "the tenant must match %s", nameForm)
	need(nameForm.MatchString(c.User), "the user must match %s", nameForm)
	need(traceForm.MatchString(c.TraceID), "the trace_id must be 32 lower-case hex digits")
	need(len(c.Tools) > 0, "the token must name at least one tool")
	for _, name := range c.Tools {
		need(tool.ValidName(name), "%q is not the name of a tool; a token names each tool exactly", name)
	}
	need(c.ArgsHash == "" || hashForm.MatchString(c.ArgsHash), "the args_hash must match %s", hashForm)
	need(c.CallID == "" || callForm.MatchString(c.CallID), "the call_id must match %s", callForm)
	need(c.Program == nil || callForm.MatchString(c.Program.CallID) && c.Program.Run != "", "the program must name a call_id and a run")
	need(!c.IssuedAt.IsZero(), "the token must say when it was issued")
	need(c.Expires.After(c.IssuedAt), "the token must expire after it is issued")
	if c.Scopes != nil {
		if err := scope.Check(*c.Scopes); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
