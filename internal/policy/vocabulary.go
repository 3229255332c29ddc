package policy

import (
	"regexp"
	"slices"

	"github.com/cedar-policy/cedar-go/types"

	"github.com/helve-dev/helve/tool"
)

// The entity types rules speak of.
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

// ids says how the ids of each type look, so that a rule about User::"anna"
// is refused rather than never matching.
var ids = map[types.EntityType]struct {
	fits func(string) bool
	want string
}{
	callerType:   {regexp.MustCompile(`^[\w-]{1,64}/[\w-]{0,64}/[\w-]{0,64}$`).MatchString, `Caller::"tenant/user/agent"`},
	tenantType:   {regexp.MustCompile(`^[\w-]{1,64}$`).MatchString, `Tenant::"tenant"`},
	userType:     {regexp.MustCompile(`^[\w-]{1,64}/[\w-]{1,64}$`).MatchString, `User::"tenant/user"`},
	agentType:    {regexp.MustCompile(`^[\w-]{1,64}/[\w-]{1,64}$`).MatchString, `Agent::"tenant/agent"`},
	toolType:     {tool.ValidName, `Tool::"name", with one exact name`},
	groupType:    {filled, `Group::"name"`},
	categoryType: {filled, `Category::"Name"`},
	riskType:     {oneOf(string(tool.Low), string(tool.Medium), string(tool.High)), `Risk::"low", Risk::"medium" or Risk::"high"`},
	actionType:   {oneOf("execute", "auto_approve"), `Action::"execute" or Action::"auto_approve"`},
}

func filled(id string) bool { return id != "" }

func oneOf(known ...string) func(string) bool {
	return func(id string) bool { return slices.Contains(known, id) }
}

// variable is what a rule may say of one of Cedar's four.
type variable struct {
	// is are the types it has, within those it can be in.
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
