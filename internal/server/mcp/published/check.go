package published

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schemas/*.json
var files embed.FS

// results are the definitions of the results of each method.
var results = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
	"tools/list": "ListToolsResult", "tools/call": "CallToolResult",
	"resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
	"prompts/list": "ListPromptsResult", "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
	"subscriptions/listen": "SubscriptionsListenResult",
}

// Check returns the reason why a server may not send a message in a version of the
// protocol, nil if it may. Method is that of the request that an answer belongs to.
func Check(version, method string, message []byte) error {
	s, err := load(version)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("it is a %T, not an object", value)
	}
	if _, ok := object["error"]; ok {
		return s.check("JSONRPCErrorResponse", value)
	}
	if called, ok := object["method"].(string); ok {
		if _, asks := object["id"]; asks {
			return s.check("ServerRequest", value)
		}
		if strings.HasPrefix(called, "notifications/tasks") {
			return nil // of the extension
		}
		return s.check("ServerNotification", value)
	}
	if err := s.check("JSONRPCResultResponse", value); err != nil {
		return err
	}
	result, _ := object["result"].(map[string]any)
	name, ok := results[method]
	switch result["resultType"] {
	case "input_required":
		name, ok = "InputRequiredResult", true
	case "task":
		return nil
	}
	if !ok {
		return nil
	}
	return s.check(name, result)
}

// schemas are the definitions of one version.
type schemas struct {
	url, prefix string
	compiler    *jsonschema.Compiler

	mu   sync.Mutex
	done map[string]*jsonschema.Schema
}

// loaded has the schemas of each version, which are read when a message of it comes.
var (
	loading sync.Mutex
	loaded  = map[string]*schemas{}
)

func load(version string) (*schemas, error) {
	loading.Lock()
	defer loading.Unlock()
	if s := loaded[version]; s != nil {
		return s, nil
	}
	s, err := read(version)
	if err == nil {
		loaded[version] = s
	}
	return s, err
}

func read(version string) (*schemas, error) {
	text, err := files.ReadFile("schemas/" + version + ".json")
	if err != nil {
		return nil, fmt.Errorf("the version %q is not published", version)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var names struct {
		Definitions json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &names); err != nil {
		return nil, err
	}
	s := &schemas{
		url:      "https://modelcontextprotocol.io/" + version,
		prefix:   "#/$defs/",
		compiler: jsonschema.NewCompiler(),
		done:     map[string]*jsonschema.Schema{},
	}
	if names.Definitions != nil {
		s.prefix = "#/definitions/"
	}
	return s, s.compiler.AddResource(s.url, document)
}

// older are names of definitions in 2025-06-18.
var older = map[string]string{"JSONRPCErrorResponse": "JSONRPCError", "JSONRPCResultResponse": "JSONRPCResponse"}

// check checks a value against a definition.
func (s *schemas) check(name string, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled, ok := s.done[name]
	if !ok {
		var err error
		for _, name := range []string{name, older[name]} {
			if compiled, err = s.compiler.Compile(s.url + s.prefix + name); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
		s.done[name] = compiled
	}
	if err := compiled.Validate(value); err != nil {
		return fmt.Errorf("it is no %s: %w", name, err)
	}
	return nil
}
