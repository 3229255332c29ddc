package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/helve-dev/helve/internal/lib/openai"
	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// Model is a model of the call's tenant. It is used by one goroutine.
type Model struct {
	client *outward.Client
	api    api
	name   string
	loose  bool // the provider has refused a schema
}

// api is the wire format of a provider.
type api struct {
	// service returns the service in the config center.
	service func(use string) outward.Service
	// standard is the model where the service names none.
	standard string
	// request returns the request for a prompt, and read reads the answer.
	request func(model string, p prompt) outward.Request
	read    func(body []byte) (reply, error)
}

// prompt holds the messages to a model.
type prompt struct {
	system, user string
	// schema is set if the answer must be an object that fits it. With loose, the provider is
	// only told that the answer is JSON.
	schema json.RawMessage
	loose  bool
}

// reply is the answer of a model.
type reply struct {
	text          string
	input, output int    // tokens
	cut           bool   // the model reached its limit
	refused       string // why the model refused, if it did
}

// apis are the wire formats, in the order in which their services are looked for.
var apis = []api{openAI, anthropic, gemini}

// Services returns the services of which one is needed; use completes "It is needed ".
func Services(use string) []outward.Service {
	services := make([]outward.Service, len(apis))
	for i, a := range apis {
		services[i] = a.service(use)
	}
	return services
}

// Find returns the model of the call; without an account it returns nil and no error.
func Find(ctx context.Context, call *tool.Call, use string) (*Model, error) {
	for _, a := range apis {
		c, err := outward.Find(ctx, call, a.service(use))
		if err != nil {
			return nil, err
		}
		if c != nil {
			return &Model{client: c, api: a, name: cmp.Or(c.Field("text_model"), a.standard)}, nil
		}
	}
	return nil, nil
}

// Open is Find, except that without an account it fails with not_configured.
func Open(ctx context.Context, call *tool.Call, use string) (*Model, error) {
	m, err := Find(ctx, call, use)
	if m == nil && err == nil {
		return nil, outward.MissingAll(call, Services(use)...)
	}
	return m, err
}

// Name returns the name of the model.
func (m *Model) Name() string { return m.name }

// Service returns the name of the service.
func (m *Model) Service() string { return m.client.Name() }

func openAIService(use string) outward.Service { return openai.Of(use) }

func anthropicService(use string) outward.Service {
	return outward.Service{Name: "anthropic", Base: "https://api.anthropic.com", Use: use, Set: "--stdin api_key",
		Sign: func(req *http.Request, data map[string]string) {
			req.Header.Set("X-Api-Key", data["api_key"])
			req.Header.Set("Anthropic-Version", "2023-06-01")
		}}
}

func geminiService(use string) outward.Service {
	return outward.Service{Name: "gemini", Base: "https://generativelanguage.googleapis.com", Use: use, Set: "--stdin api_key",
		Sign: func(req *http.Request, data map[string]string) {
			req.Header.Set("X-Goog-Api-Key", data["api_key"])
		}}
}
