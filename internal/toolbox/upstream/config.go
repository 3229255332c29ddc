package upstream

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// Server configures the connection to one server, and which of its tools are offered.
type Server struct {
	Name string `json:"-"`

	// Command starts it as a child process, with Args, in Dir, and with Env in addition
	// to PATH, HOME and LANG; or URL is its address, and Headers are sent with
	// requests. Values of Env and Headers may contain ${NAME}, a variable of the
	// worker.
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"dir"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	// Private allows URL to be an address that the guard refuses to tools.
	Private bool `json:"private"`

	// Prefix is the prefix of its tools' names; the default is the server's name and
	// "_".
	Prefix *string `json:"prefix"`
	// Allow and Deny are patterns of tools' names on the server.
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
	// Pin is first_use or review: whether the first definition of a tool is offered
	// without a review.
	Pin string `json:"pin"`

	Settings
	// Tools are settings of single tools, by their name on the server.
	Tools map[string]Settings `json:"tools"`

	MaxResultBytes int     `json:"max_result_bytes"`
	MaxConcurrent  int     `json:"max_concurrent"`
	StartSeconds   float64 `json:"start_seconds"`
	Pool           string  `json:"pool"`
	Disabled       bool    `json:"disabled"`

	// Alternative spellings in other products.
	Type string `json:"type"`
	CWD  string `json:"cwd"`
}

// Settings are an operator's settings of a tool. The defaults are those of the server,
// then: medium risk, changes things, reaches outward, 30 seconds.
type Settings struct {
	Risk                 tool.Risk         `json:"risk"`
	Confirmation         tool.Confirmation `json:"confirmation"`
	RequiresConfirmation *bool             `json:"requires_confirmation"`
	Mutates              *bool             `json:"mutates"`
	Destructive          *bool             `json:"destructive"`
	Idempotent           *bool             `json:"idempotent"`
	OpenWorld            *bool             `json:"open_world"`
	Scopes               *tool.Scopes      `json:"scopes"`
	RequiredPermissions  []string          `json:"required_permissions"`
	TimeoutSeconds       float64           `json:"timeout_seconds"`
}

// What of a server is pinned when nobody has seen it yet.
const (
	PinFirstUse = "first_use"
	PinReview   = "review"
)

const (
	defaultTimeout    = 30 * time.Second
	defaultStart      = 60 * time.Second
	defaultMaxResult  = 1 << 20
	defaultConcurrent = 16

	maxFile    = 1 << 20
	maxServers = 100
)

// Problem is an error that prevents the use of a server, or of one of its tools.
type Problem struct {
	Server string
	Tool   string // as the server calls it; empty for all of it
	Reason string
	// Warning is a problem that does not prevent the use.
	Warning bool
}

// Read parses a file of servers. Env looks up variables of the worker. An error
// concerns the file as a whole; an error in one server does not affect the others.
func Read(path string, env func(string) (string, bool)) ([]Server, []Problem, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, nil, err
	}
	return parse(text, env)
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return text, err
}

func parse(text []byte, env func(string) (string, bool)) ([]Server, []Problem, error) {
	var file struct {
		Servers map[string]jsontext.Value `json:"servers"`
		// MCPServers is the name of the list in other products.
		MCPServers map[string]jsontext.Value `json:"mcpServers"`
	}
	if err := jsonv2.Unmarshal(text, &file, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, nil, fmt.Errorf(`it must be a JSON object like {"servers": {"github": {"command": …}}}: %w`, err)
	}
	if file.Servers != nil && file.MCPServers != nil {
		return nil, nil, errors.New("it has servers and mcpServers; write all of them into one")
	}
	raw := file.Servers
	if raw == nil {
		raw = file.MCPServers
	}
	if len(raw) > maxServers {
		return nil, nil, fmt.Errorf("it has %d servers, at most %d are allowed", len(raw), maxServers)
	}
	var servers []Server
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		s, warnings, err := parseServer(name, raw[name], env)
		for _, reason := range warnings {
			problems = append(problems, Problem{Server: name, Reason: reason, Warning: true})
		}
		switch {
		case err != nil:
			for reason := range strings.Lines(err.Error()) {
				problems = append(problems, Problem{Server: name, Reason: strings.TrimSpace(reason)})
			}
		case !s.Disabled:
			servers = append(servers, s)
		}
	}
	return servers, problems, nil
}

var serverName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

func parseServer(name string, raw jsontext.Value, env func(string) (string, bool)) (s Server, warnings []string, err error) {
	if !serverName.MatchString(name) {
		return s, nil, fmt.Errorf("its name must begin with a letter and have at most 32 letters, digits, _ and -")
	}
	if err := jsonv2.Unmarshal(raw, &s, jsonv2.RejectUnknownMembers(true)); err != nil {
		return s, nil, errors.New(sentence(err))
	}
	s.Name = name
	warnings = s.warnings()
	if err := s.check(); err != nil || s.Disabled {
		return s, warnings, err
	}
	return s, warnings, s.expand(env)
}

// sentence returns a decoder's error without its references to Go.
func sentence(err error) string {
	e, ok := errors.AsType[*jsonv2.SemanticError](err)
	switch {
	case !ok:
		return err.Error()
	case errors.Is(err, jsonv2.ErrUnknownName):
		return fmt.Sprintf("the field %s is not known", strings.TrimPrefix(string(e.JSONPointer), "/"))
	case e.JSONPointer == "":
		return "it must be a JSON object"
	}
	return fmt.Sprintf("the field %s must not be a JSON %v", strings.TrimPrefix(string(e.JSONPointer), "/"), e.JSONKind)
}

func seconds(s float64, otherwise time.Duration) time.Duration {
	return cmp.Or(time.Duration(s*float64(time.Second)), otherwise)
}

func (s *Server) prefix() string {
	if s.Prefix != nil {
		return *s.Prefix
	}
	return strings.ReplaceAll(s.Name, "-", "_") + "_"
}

func (s *Server) maxResult() int { return cmp.Or(s.MaxResultBytes, defaultMaxResult) }

// maxMessage is the maximum size of a message with a result of that size, whose
// contents may take twice as many bytes when encoded.
func (s *Server) maxMessage() int { return max(4<<20, 2*s.maxResult()+1<<20) }

// Group returns the toggle group of its tools.
func (s *Server) Group() string { return GroupOf(s.Name) }

// GroupOf returns the group of a server's tools.
func GroupOf(server string) string { return "mcp_" + server }
