package upstream

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/policy"
	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
	"github.com/helve-dev/helve/internal/toolbox/upstream/wire"
	"github.com/helve-dev/helve/tool"
)

// offer is a tool of a server in the form in which it would be offered.
type offer struct {
	upstream string // its name on the server
	def      tool.Definition
	shown    json.RawMessage
	hash     string
	// unchecked names the rules of its schema that only the server checks.
	unchecked []string
}

const (
	category       = "MCP"
	maxDescription = 4 << 10
)

// offerOf makes a tool of a server's definition and the operator's settings.
func (s *Server) offerOf(t *mcp.Tool, o Options) (*offer, error) {
	if why, ok := t.Meta[wire.Unreadable].(string); ok {
		return nil, errors.New(why)
	}
	text, hash, err := show(s.Name, t)
	if err != nil {
		return nil, err
	}
	name := s.prefix() + strings.ReplaceAll(t.Name, "-", "_")
	if !tool.ValidName(name) {
		return nil, fmt.Errorf("%.80q is no name of a tool here: it must have letters, digits, _ and dots, and at most %d of them",
			name, tool.MaxNameLength)
	}
	set := s.Settings.and(s.Tools[t.Name])
	def := tool.Definition{
		Name: name, Description: foreign.Text(cmp.Or(t.Description, t.Title), maxDescription),
		Category: category, Group: s.Group(), Version: "1", Tags: hints(s.Name, t.Annotations),
		Risk: cmp.Or(set.Risk, tool.Medium), Confirmation: cmp.Or(set.Confirmation, tool.ConfirmIfDestructive),
		RequiresConfirmation: is(set.RequiresConfirmation, false),
		Mutates:              is(set.Mutates, true), Idempotent: is(set.Idempotent, false), OpenWorld: is(set.OpenWorld, true),
		Scopes: tool.Scopes{Paths: []string{}, Hosts: []string{}, Apps: []string{}}, RequiredPermissions: []string{},
		TimeoutSeconds: seconds(set.TimeoutSeconds, defaultTimeout).Seconds(),
		Pool:           cmp.Or(s.Pool, o.Pool), Kind: tool.KindMCP, Enabled: true,
	}
	if set.Scopes != nil {
		def.Scopes = *set.Scopes
	}
	if set.RequiredPermissions != nil {
		def.RequiredPermissions = set.RequiredPermissions
	}
	raise(&def, set, t.Annotations)
	if def.Description == "" {
		def.Description = fmt.Sprintf("The tool %s of the MCP server %s.", foreign.Text(t.Name, tool.MaxNameLength), s.Name)
	}
	var unchecked []string
	if def.Parameters, unchecked, err = parameters(t.InputSchema); err != nil {
		return nil, err
	}
	def.ResultSchema = resultSchema(t.OutputSchema)
	if err := policy.KnownPermissions(def.RequiredPermissions, o.Permissions); err != nil {
		return nil, fmt.Errorf("required_permissions: %w", err)
	}
	return &offer{upstream: t.Name, def: def, shown: text, hash: hash, unchecked: unchecked}, nil
}

// raise marks a tool as destructive if its server does. The operator's settings
// override this.
func raise(def *tool.Definition, set Settings, hint *mcp.ToolAnnotations) {
	destroys := hint != nil && hint.DestructiveHint != nil && *hint.DestructiveHint
	def.Destructive = is(set.Destructive, destroys && def.Mutates)
	if destroys && set.Destructive == nil && set.Mutates == nil {
		def.Destructive, def.Mutates = true, true
	}
	if def.Destructive && def.Risk == tool.Low && set.Destructive == nil {
		def.Risk = tool.Medium
	}
}

// hints returns tags for search from the server's description; they have no other
// effect.
func hints(server string, a *mcp.ToolAnnotations) []string {
	tags := []string{"mcp", server}
	if a == nil {
		return tags
	}
	if a.ReadOnlyHint {
		tags = append(tags, "hint: read only")
	}
	if a.IdempotentHint {
		tags = append(tags, "hint: idempotent")
	}
	if a.OpenWorldHint != nil && !*a.OpenWorldHint {
		tags = append(tags, "hint: closed world")
	}
	return tags
}

// and returns the settings of a tool merged over those of its server.
func (s Settings) and(own Settings) Settings {
	return Settings{
		Risk: cmp.Or(own.Risk, s.Risk), Confirmation: cmp.Or(own.Confirmation, s.Confirmation),
		RequiresConfirmation: cmp.Or(own.RequiresConfirmation, s.RequiresConfirmation),
		Mutates:              cmp.Or(own.Mutates, s.Mutates), Destructive: cmp.Or(own.Destructive, s.Destructive),
		Idempotent: cmp.Or(own.Idempotent, s.Idempotent), OpenWorld: cmp.Or(own.OpenWorld, s.OpenWorld),
		Scopes: cmp.Or(own.Scopes, s.Scopes), RequiredPermissions: either(own.RequiredPermissions, s.RequiredPermissions),
		TimeoutSeconds: cmp.Or(own.TimeoutSeconds, s.TimeoutSeconds),
	}
}

func either(a, b []string) []string {
	if a != nil {
		return a
	}
	return b
}

func is(set *bool, otherwise bool) bool {
	if set != nil {
		return *set
	}
	return otherwise
}

// pinned returns an offer in the form for comparison with its approval.
func (s *Server) pinned(o *offer) approvals.Offer {
	return approvals.Offer{
		Tool: o.def.Name, Server: s.Name, Upstream: o.upstream, Definition: o.shown, Hash: o.hash, Review: s.Pin == PinReview,
	}
}
