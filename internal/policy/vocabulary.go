package policy

import (
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go/types"

	"github.com/helve-dev/helve/tool"
)

// The entity types of rules.
const (
	callerType   types.EntityType = "Caller"
	tenantType   types.EntityType = "Tenant"
	userType     types.EntityType = "User"
	agentType    types.EntityType = "Agent"
	toolType     types.EntityType = "Tool"
	groupType    types.EntityType = "Group"
	categoryType types.EntityType = "Category"
	riskType     types.EntityType = "Risk"
	actionType   types.EntityType = "Action"
)

var (
	executeAction = types.NewEntityUID(actionType, "execute")
	approveAction = types.NewEntityUID(actionType, "auto_approve")
)

// ids describes the form of the IDs of each type, so that a rule about User::"anna" is
// refused rather than never matching.
var ids = map[types.EntityType]struct {
	fits func(string) bool
	want string
}{
	callerType:   {names(1, 0, 0), `Caller::"tenant/user/agent"`},
	tenantType:   {names(1), `Tenant::"tenant"`},
	userType:     {names(1, 1), `User::"tenant/user"`},
	agentType:    {names(1, 1), `Agent::"tenant/agent"`},
	toolType:     {tool.ValidName, `Tool::"name", with one exact name`},
	groupType:    {filled, `Group::"name"`},
	categoryType: {filled, `Category::"Name"`},
	riskType:     {oneOf(string(tool.Low), string(tool.Medium), string(tool.High)), `Risk::"low", Risk::"medium" or Risk::"high"`},
	actionType:   {oneOf("execute", "auto_approve"), `Action::"execute" or Action::"auto_approve"`},
}

// names returns a check that an ID has len(least) names separated by /, each of at
// least that many characters.
func names(least ...int) func(string) bool {
	const most = 64
	return func(id string) bool {
		parts := strings.Split(id, "/")
		if len(parts) != len(least) {
			return false
		}
		for i, part := range parts {
			if len(part) < least[i] || len(part) > most || strings.ContainsFunc(part, odd) {
				return false
			}
		}
		return true
	}
}

// odd reports whether no name can contain the character.
func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

func filled(id string) bool { return id != "" }

func oneOf(known ...string) func(string) bool {
	return func(id string) bool { return slices.Contains(known, id) }
}

// variable describes one of Cedar's four variables.
type variable struct {
	// is are its types, within the types that can contain it.
	is, within []types.EntityType
	attributes []types.String
}

var variables = map[types.String]variable{
	"principal": {
		is:         []types.EntityType{callerType},
		within:     []types.EntityType{callerType, tenantType, userType, agentType},
		attributes: []types.String{"tenant", "user", "agent"},
	},
	"action": {is: []types.EntityType{actionType}, within: []types.EntityType{actionType}},
	"resource": {
		is:         []types.EntityType{toolType},
		within:     []types.EntityType{toolType, groupType, categoryType, riskType},
		attributes: []types.String{"name", "group", "category", "risk", "kind", "mutates", "destructive", "open_world", "paths", "hosts", "apps"},
	},
	"context": {attributes: []types.String{"arguments", "time", "hour", "weekday", "conversation", "origin"}},
}
