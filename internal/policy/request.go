package policy

import (
	"cmp"
	"time"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
)

// request is one call in terms of rules. It belongs to one decision: the entities are
// made when a rule first needs them.
type request struct {
	in               Input
	caller, resource types.EntityUID
	// principals and resources are the entities that contain the call's own, themselves
	// first.
	principals, resources []types.EntityUID
	callerMade, toolMade  bool
	callerIs, toolIs      types.Entity
}

func newRequest(in Input) *request {
	q := &request{in: in}
	id := in.Tenant + "/" + in.User + "/" + in.Agent
	q.caller = types.NewEntityUID(callerType, types.String(id))
	q.principals = append(make([]types.EntityUID, 0, 4), q.caller, types.NewEntityUID(tenantType, types.String(in.Tenant)))
	if in.User != "" {
		q.principals = append(q.principals, types.NewEntityUID(userType, types.String(id[:len(in.Tenant)+1+len(in.User)])))
	}
	if in.Agent != "" {
		q.principals = append(q.principals, types.NewEntityUID(agentType, types.String(in.Tenant+"/"+in.Agent)))
	}
	q.resource = types.NewEntityUID(toolType, types.String(in.Tool.Name))
	q.resources = append(make([]types.EntityUID, 0, 4), q.resource,
		types.NewEntityUID(groupType, types.String(in.Tool.Group)),
		types.NewEntityUID(categoryType, types.String(in.Tool.Category)),
		types.NewEntityUID(riskType, types.String(in.Tool.Risk)))
	return q
}

// Get returns the caller or the tool; no other entity has parents or attributes.
func (q *request) Get(uid types.EntityUID) (types.Entity, bool) {
	switch uid {
	case q.caller:
		if !q.callerMade {
			q.callerIs, q.callerMade = q.callerEntity(), true
		}
		return q.callerIs, true
	case q.resource:
		if !q.toolMade {
			q.toolIs, q.toolMade = q.toolEntity(), true
		}
		return q.toolIs, true
	default:
		return types.Entity{}, false
	}
}

func (q *request) callerEntity() types.Entity {
	return types.Entity{
		UID:     q.caller,
		Parents: types.NewEntityUIDSet(q.principals[1:]...),
		Attributes: types.NewRecord(types.RecordMap{
			"tenant": types.String(q.in.Tenant),
			"user":   types.String(q.in.User),
			"agent":  types.String(q.in.Agent),
		}),
	}
}

func (q *request) toolEntity() types.Entity {
	def := q.in.Tool
	return types.Entity{
		UID:     q.resource,
		Parents: types.NewEntityUIDSet(q.resources[1:]...),
		Attributes: types.NewRecord(types.RecordMap{
			"name":        types.String(def.Name),
			"group":       types.String(def.Group),
			"category":    types.String(def.Category),
			"risk":        types.String(def.Risk),
			"kind":        types.String(def.Kind),
			"mutates":     types.Boolean(q.in.Mutates),
			"destructive": types.Boolean(def.Destructive),
			"open_world":  types.Boolean(def.OpenWorld),
			"paths":       texts(def.Scopes.Paths),
			"hosts":       texts(def.Scopes.Hosts),
			"apps":        texts(def.Scopes.Apps),
		}),
	}
}

func texts(list []string) types.Set {
	values := make([]types.Value, len(list))
	for i, text := range list {
		values[i] = types.String(text)
	}
	return types.NewSet(values...)
}

// cedar returns the request for an action. Arguments are those that rules read.
func (q *request) cedar(args types.Record) cedar.Request {
	now := q.in.Now.UTC()
	weekday := now.Weekday()
	if weekday == time.Sunday {
		weekday = 7
	}
	return cedar.Request{
		Principal: q.caller,
		Resource:  q.resource,
		Context: types.NewRecord(types.RecordMap{
			"arguments":    args,
			"time":         types.NewDatetime(now),
			"hour":         types.Long(now.Hour()),
			"weekday":      types.Long(weekday),
			"conversation": types.String(q.in.Conversation),
			"origin":       types.String(cmp.Or(q.in.Origin, Direct)),
		}),
	}
}
