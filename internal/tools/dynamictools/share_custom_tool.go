package dynamictools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

type shareArgs struct {
	Name string `json:"name" doc:"The tool to share, one of your own." min:"1" max:"64"`
}

type shareResult struct {
	Message string `json:"message"`
	Name    string `json:"name"`
	Version int    `json:"version" doc:"The version that everybody has now. Later changes stay yours until they are shared."`
}

// shared returns the preview of the version for the approver.
type shared struct {
	Owner       string                `json:"owner"`
	Version     int                   `json:"version"`
	Description string                `json:"description"`
	Permissions []string              `json:"permissions"`
	Hosts       []string              `json:"hosts,omitempty"`
	Durable     bool                  `json:"durable,omitempty"`
	Tools       []string              `json:"tools,omitempty"`
	APIKeys     []tool.RequiredAPIKey `json:"required_api_keys,omitempty"`
	Parameters  json.RawMessage       `json:"parameters"`
	Code        string                `json:"code"`
}

var _ = tool.Add(Set, tool.Spec[shareArgs, shareResult]{
	Name: "share_custom_tool",
	Description: "Offer the current version of one of your custom tools to everybody of the tenant, which an approver must allow, " +
		"and return that version.",
	Tags:                 []string{"tool share", "publish tool", "share tool"},
	Errors:               []tool.Kind{},
	Example:              `{"name":"add_tax"}`,
	Risk:                 tool.Medium,
	RequiresConfirmation: true,
	ApproverOnly:         true,
	Mutates:              true,
	Idempotent:           true,
	Verbatim:             []string{"code", "parameters", "required_api_keys", "tools"},
	Needs:                tool.NeedCustomTools,
	Timeout:              10 * time.Second,
	Check: func(ctx context.Context, call *tool.Call, args shareArgs) error {
		t, err := call.CustomTools.Get(ctx, call, args.Name)
		switch {
		case err != nil:
			return err
		case t.Shared:
			return tool.Fail(tool.PermissionDenied, "'%s' belongs to %s and is shared with you; only tools of your own can be shared",
				t.Name, t.Owner)
		case !t.Enabled:
			return tool.Fail(tool.ValidationError, "'%s' is switched off; switch it on with toggle_custom_tool before it is shared", t.Name)
		}
		call.About = version(&t)
		call.Shown, err = json.Marshal(shared{
			Owner: t.Owner, Version: t.Version, Description: t.Description, Permissions: t.Permissions, Hosts: t.Hosts,
			APIKeys: t.RequiredAPIKeys, Parameters: t.Parameters, Code: t.Code, Durable: t.Durable, Tools: t.Tools,
		})
		return err
	},
	Run: func(ctx context.Context, call *tool.Call, args shareArgs) (shareResult, error) {
		t, err := call.CustomTools.Share(ctx, call, args.Name, call.About)
		if err != nil {
			return shareResult{}, err
		}
		return shareResult{
			Message: fmt.Sprintf("Everybody of the tenant has version %d of '%s' now.", t.Version, t.Name), Name: t.Name, Version: t.Version,
		}, nil
	},
})
