package dynamictools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type updateArgs struct {
	Name            string                 `json:"name" alias:"tool_name" doc:"The tool to change." min:"1" max:"64"`
	Description     *string                `json:"description,omitempty" doc:"New description."`
	Parameters      schemaText             `json:"parameters,omitempty" doc:"New JSON Schema of the arguments, as a string or as it is; inputSchema is another name of it."`
	InputSchema     schemaText             `json:"inputSchema,omitempty" doc:"The same as parameters; give one of the two."`
	Code            *string                `json:"code,omitempty" doc:"New code."`
	Category        *string                `json:"category,omitempty" doc:"New heading."`
	Permissions     *[]string              `json:"permissions,omitempty" doc:"New permissions, in place of the old ones."`
	RequiredAPIKeys *[]tool.RequiredAPIKey `json:"required_api_keys,omitempty" doc:"New services, in place of the old ones."`
	Hosts           *[]string              `json:"hosts,omitempty" doc:"New hosts, in place of the old ones."`
	Limits          *tool.CustomLimits     `json:"limits,omitempty" doc:"New bounds, in place of the old ones."`
	Durable         *bool                  `json:"durable,omitempty" doc:"Whether it is a program, as create_tool says."`
	Tools           *[]string              `json:"tools,omitempty" doc:"New tools that a durable tool may call, in place of the old ones."`
	TimeoutSeconds  *float64               `json:"timeout_seconds,omitempty" doc:"New time of a run of a durable tool." min:"1" max:"2592000"`
	Restore         int                    `json:"restore,omitempty" doc:"Brings an earlier version back, as a new one; get_custom_tool lists those that are kept. Give nothing else with it." min:"1"`
	Risk            *tool.Risk             `json:"risk,omitempty" enum:"low,medium,high" doc:"New raised risk."`
}

// apply changes the given fields and keeps the rest.
func (a updateArgs) apply(t *tool.CustomTool) {
	set(&t.Description, a.Description)
	if a.Code != nil {
		t.Code = unfenced(*a.Code)
	}
	set(&t.Category, a.Category)
	set(&t.Permissions, a.Permissions)
	set(&t.RequiredAPIKeys, a.RequiredAPIKeys)
	set(&t.Hosts, a.Hosts)
	set(&t.Limits, a.Limits)
	set(&t.Risk, a.Risk)
	set(&t.Durable, a.Durable)
	set(&t.Tools, a.Tools)
	set(&t.TimeoutSeconds, a.TimeoutSeconds)
	if a.Durable != nil && !*a.Durable && a.Tools == nil && a.TimeoutSeconds == nil {
		t.Tools, t.TimeoutSeconds = nil, 0
	}
	if text := cmp.Or(a.Parameters, a.InputSchema); text != "" {
		t.Parameters = json.RawMessage(text)
	}
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

var _ = tool.Add(Set, tool.Spec[updateArgs, createResult]{
	Name:                 "update_custom_tool",
	Description:          "Change a custom tool, leaving what is not given as it is, and return its id, status and new version.",
	Tags:                 []string{"tool update", "edit tool", "change tool"},
	Risk:                 tool.Medium,
	RequiresConfirmation: true,
	Mutates:              true,
	Verbatim:             []string{"code", "parameters", "inputSchema", "required_api_keys", "tools"},
	Loose:                []string{"parameters", "inputSchema"},
	Errors:               []tool.Kind{tool.NotConfigured, tool.ExecutionError},
	Example:              `{"name":"add_tax","description":"Add a tax to a price; returns the total, rounded to cents."}`,
	Needs:                tool.NeedCustomTools,
	Timeout:              20 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args updateArgs) error {
		if err := oneSchema(args.Parameters, args.InputSchema, false); err != nil {
			return err
		}
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		if err != nil {
			return err
		}
		if err := mine(&t); err != nil {
			return err
		}
		call.About = version(&t)
		if err := args.restored(ctx, call, &t); err != nil {
			return err
		}
		return call.CustomTools.Check(ctx, call, t, false)
	},
	Changes: func(ctx context.Context, call *tool.Call, args updateArgs) ([]tool.Change, error) {
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		if err != nil || args.Code == nil && args.Restore == 0 {
			return nil, err
		}
		next := t
		if err := args.restored(ctx, call, &next); err != nil {
			return nil, err
		}
		return []tool.Change{{Path: t.Name + ".js", Held: &t.Code, New: []byte(next.Code)}}, nil
	},
	Run: func(ctx context.Context, call *tool.Call, args updateArgs) (createResult, error) {
		t, err := call.CustomTools.Update(ctx, call, args.Name, func(t *tool.CustomTool) error {
			if err := args.restored(ctx, call, t); err != nil {
				return err
			}
			return call.CustomTools.Check(ctx, call, *t, false)
		})
		if err != nil {
			return createResult{}, err
		}
		return createResult{
			Message: fmt.Sprintf("Tool '%s' was changed.", t.Name) + undeclared(&t),
			ToolID:  t.ID, Name: t.Name, Status: status(&t), Description: t.Description, Version: t.Version,
		}, nil
	},
})
