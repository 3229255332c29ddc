package api

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/consent"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

const (
	maxTokenTools = 100
	// Limits of a token's validity, in seconds.
	defaultTTL = 300
	maxTTL     = 86400
)

// mintToken lets a person approve a plan in advance, an approver anybody's.
func (s *Service) mintToken(ctx context.Context, in Input) (Reply, error) {
	if s.Gate.Minter == nil {
		return Reply{}, missing("key to sign tokens with")
	}
	spec, said, err := parseMint(in.Body)
	if err != nil {
		return Reply{}, err
	}
	if in.By.User == "" && !in.By.Has(identity.Approver) && named(said) == "" {
		said.By = spec.User // a front end's credential, which acts for its users
	}
	by, err := personOf(said, in)
	if err != nil {
		return Reply{}, err
	}
	spec.User = cmp.Or(spec.User, by.User)
	if spec.User == "" {
		return Reply{}, BadRequest("user is missing: a token is for one person's calls")
	}
	if spec.User != by.User && !by.Has(identity.Approver) {
		return Reply{}, Forbidden("only an approver can mint a token for the calls of another user")
	}
	token, id, expires, err := s.Gate.Minter.Mint(ctx, in.Tenant, spec, by)
	if err != nil {
		return Reply{}, err
	}
	return answer(protocol.MintedToken{Token: token, ID: id, ExpiresAt: expires.UTC()})
}

func parseMint(raw []byte) (spec consent.MintSpec, said protocol.Speaker, err error) {
	var body protocol.MintRequest
	if err := parseBody(raw, &body, `{"user": "ada", "trace_id": "…", "tools": ["delete_file"], "ttl_seconds": 300}`); err != nil {
		return spec, said, err
	}
	seconds := float64(defaultTTL)
	if body.TTLSeconds != nil {
		seconds = *body.TTLSeconds
	}
	spec = consent.MintSpec{
		User: body.User, TraceID: body.TraceID, Tools: body.Tools, Scopes: body.Scopes,
		ArgsHash: body.ArgsHash, CallID: body.CallID, Reusable: body.Reusable, Program: body.Program,
	}
	if seconds < 1 || seconds > maxTTL {
		return spec, said, BadRequest("ttl_seconds must be 1 to %d, or left out for %d", maxTTL, defaultTTL)
	}
	spec.TTL = time.Duration(seconds * float64(time.Second))
	return spec, body.Speaker, checkMint(spec)
}

// checkMint refuses a token that could never be used, or that is probably a mistake.
func checkMint(spec consent.MintSpec) error {
	hash, hashed := strings.CutPrefix(spec.ArgsHash, "sha256:")
	switch {
	case optionalName("user", spec.User) != nil:
		return optionalName("user", spec.User)
	case spec.Program != "" && CallID(spec.Program) != nil:
		return BadRequest("program %.140q is not the call_id of a program", spec.Program)
	case (spec.Program == "" || spec.TraceID != "") && !validHex(spec.TraceID, traceIDLength):
		return BadRequest("trace_id must be the 32 lower-case hex digits of the trace that the calls will have")
	case len(spec.Tools) == 0 || len(spec.Tools) > maxTokenTools:
		return BadRequest("tools must name 1 to %d tools", maxTokenTools)
	case spec.ArgsHash != "" && !(hashed && isHex(hash, 64)):
		return BadRequest("args_hash must be sha256: and 64 lower-case hex digits")
	case spec.CallID != "" && !validName(spec.CallID, maxCallID):
		return badName("call_id", spec.CallID, maxCallID)
	}
	for i, name := range spec.Tools {
		if !tool.ValidName(name) {
			return BadRequest("tools[%d] %.80q is not a tool's exact name", i, name)
		}
	}
	if spec.Scopes == nil {
		return nil
	}
	if err := scope.Check(*spec.Scopes); err != nil {
		return BadRequest("scopes: %v", err)
	}
	return nil
}
