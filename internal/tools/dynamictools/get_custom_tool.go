package dynamictools

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/tool"
)

type getArgs struct {
	Name    string `json:"name" alias:"tool_name" doc:"The tool to show." min:"1" max:"64"`
	Version int    `json:"version,omitempty" doc:"An earlier version to show, one of versions; the current one if absent." min:"1"`
}

type getResult struct {
	ID              string                `json:"id"`
	Name            string                `json:"name"`
	Description     string                `json:"description"`
	Category        string                `json:"category"`
	Status          string                `json:"status" enum:"active,disabled"`
	Version         int                   `json:"version"`
	Parameters      json.RawMessage       `json:"parameters"`
	Code            string                `json:"code"`
	Permissions     []string              `json:"permissions"`
	Hosts           []string              `json:"hosts,omitempty"`
	RequiredAPIKeys []tool.RequiredAPIKey `json:"required_api_keys,omitempty"`
	Durable         bool                  `json:"durable,omitempty" doc:"It is a program."`
	Tools           []string              `json:"tools,omitempty" doc:"The tools that a durable tool may call."`
	TimeoutSeconds  float64               `json:"timeout_seconds,omitempty" doc:"The time of a run of a durable tool."`
	Limits          tool.CustomLimits     `json:"limits,omitzero"`
	Owner           string                `json:"owner"`
	Shared          bool                  `json:"shared" doc:"Somebody else made it, and this version was shared with everybody."`
	CreatedBy       string                `json:"createdBy"`
	CreatedAt       time.Time             `json:"createdAt"`
	UpdatedAt       time.Time             `json:"updatedAt"`
	Versions        []keptVersion         `json:"versions" doc:"The last ten versions, the newest first; update_custom_tool brings one back with restore."`
}

var _ = tool.Add(Set, tool.Spec[getArgs, getResult]{
	Name:        "get_custom_tool",
	Description: "Show a custom tool with its code, schema, permissions and version; use it before changing one.",
	Tags:        []string{"tool show", "tool code", "custom tool"},
	Errors:      []tool.Kind{},
	Example:     `{"name":"add_tax"}`,
	Risk:        tool.Low,
	Mutates:     false,
	Needs:       tool.NeedCustomTools,
	Timeout:     10 * time.Second,
	Run: func(ctx context.Context, call *tool.Call, args getArgs) (getResult, error) {
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		if err == nil && args.Version > 0 {
			t, err = versionOf(ctx, call, args.Name, args.Version)
		}
		if err != nil {
			return getResult{}, err
		}
		kept, err := call.CustomTools.Versions(ctx, call, args.Name)
		if err != nil {
			return getResult{}, err
		}
		versions := []keptVersion{}
		for _, v := range kept {
			versions = append(versions, keptVersion{Version: v.Version, UpdatedAt: v.UpdatedAt, Status: status(&v)})
		}
		return getResult{
			ID: t.ID, Name: t.Name, Description: t.Description, Category: t.Category, Status: status(&t), Version: t.Version,
			Parameters: t.Parameters, Code: t.Code, Permissions: t.Permissions, Hosts: t.Hosts, RequiredAPIKeys: t.RequiredAPIKeys, Limits: t.Limits,
			Owner: t.Owner, Shared: t.Shared, CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
			Durable: t.Durable, Tools: t.Tools, TimeoutSeconds: t.TimeoutSeconds, Versions: versions,
		}, nil
	},
})
