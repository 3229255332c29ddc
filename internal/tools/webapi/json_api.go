package webapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/helve-dev/helve/tool"
)

type jsonAPIArgs struct {
	URL         string                     `json:"url" min:"1" max:"16384" doc:"Full address of the API, http:// or https://."`
	Method      string                     `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE" default:"GET" doc:"HTTP method."`
	Query       map[string]json.RawMessage `json:"query,omitempty" doc:"Query parameters to add to the address: texts, numbers, booleans, or lists of them."`
	Data        map[string]json.RawMessage `json:"data,omitempty" doc:"JSON object to send as the body."`
	Headers     map[string]string          `json:"headers,omitempty" doc:"Request headers, name to value."`
	BearerToken string                     `json:"bearerToken,omitempty" max:"16384" secret:"true" doc:"Token to send as Authorization: Bearer."`
	Service     string                     `json:"service,omitempty" max:"64" doc:"Service of the config center whose credentials to send; the address must be below its base_url."`
	Select      string                     `json:"select,omitempty" max:"1000" doc:"JSONPath (RFC 9535) such as $.items[*].name; data is then the list of the selected values."`
	MaxPages    int                        `json:"maxPages,omitempty" min:"1" max:"50" default:"1" doc:"With GET, the most pages to read by Link rel=next; their lists are joined."`
}

var _ = tool.Add(Set, tool.Spec[jsonAPIArgs, *apiResult]{
	Name:    "json_api",
	Aliases: []string{"call_json_api"},
	Description: "Call a JSON API, with the credentials of a configured service if one is named; returns status and data, or the part of " +
		"data that a JSONPath selects, of one page or several.",
	Tags:       []string{"json", "api", "rest", "data", "endpoint", "service"},
	Errors:     []tool.Kind{tool.NetworkError, tool.ExecutionError, tool.NotConfigured},
	Example:    `{"url":"https://example.com/users","select":"$.users[*]"}`,
	Risk:       tool.Medium,
	Mutates:    true,
	Reads:      readsAPI,
	ReadsWhen:  &tool.ReadsWhen{Param: "method", Values: []string{http.MethodGet}, Absent: true},
	Idempotent: false,
	Repeats:    readsAPI, // as http_request
	OpenWorld:  true,
	Scopes:     tool.Scopes{Hosts: []string{"*"}},
	Needs:      tool.NeedHTTP | tool.NeedSecrets,
	Timeout:    longest,
	Check: func(ctx context.Context, call *tool.Call, args jsonAPIArgs) error {
		_, err := newAPICall(ctx, call, &args)
		return err
	},
	Run: jsonAPI,
})

// readsAPI reports whether a call changes nothing.
func readsAPI(args jsonAPIArgs) bool { return reads(args.Method, args.Headers) }

func jsonAPI(ctx context.Context, call *tool.Call, args jsonAPIArgs) (*apiResult, error) {
	a, err := newAPICall(ctx, call, &args)
	if err != nil {
		return nil, err
	}
	return a.run(ctx)
}

// apiCall is a call of json_api whose arguments are valid.
type apiCall struct {
	call    *tool.Call
	args    *jsonAPIArgs
	first   *url.URL // of the first request
	account *account // nil without a service
	path    *selection
}

func newAPICall(ctx context.Context, call *tool.Call, args *jsonAPIArgs) (*apiCall, error) {
	u, err := args.address()
	if err != nil {
		return nil, err
	}
	a := &apiCall{call: call, args: args, first: u}
	if method := cmp.Or(args.Method, http.MethodGet); args.Data != nil && method == http.MethodGet {
		return nil, tool.Fail(tool.ValidationError,
			"data is the body of a request, and GET has none; put parameters in query, or choose another method")
	} else if args.MaxPages > 1 && method != http.MethodGet {
		return nil, tool.Fail(tool.ValidationError, "maxPages is for GET only, not for %s", method)
	}
	if _, err := a.request(ctx, u, nil); err != nil {
		return nil, err
	}
	if a.path, err = newSelection(args.Select); err != nil {
		return nil, err
	}
	if args.Service != "" {
		a.account, err = openAccount(ctx, call, args, u)
	}
	return a, err
}
