package upstream

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// check returns everything that is wrong with a server's settings.
func (s *Server) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch {
	case s.Command == "" && s.URL == "":
		bad("it needs command or url")
	case s.Command != "" && s.URL != "":
		bad("it has command and url; it needs one of them")
	case s.URL != "":
		s.checkURL(bad)
	default:
		s.checkCommand(bad)
	}
	if p := s.prefix(); p != "" && !tool.ValidName(p+"x") {
		bad("prefix %.40q cannot begin a tool's name: use letters, digits, _ and dots, and begin with a letter", p)
	}
	for _, pattern := range slices.Concat(s.Allow, s.Deny) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			bad("%.80q is not a pattern: * stands for any letters, ? for one", pattern)
		}
	}
	if !slices.Contains([]string{"", PinFirstUse, PinReview}, s.Pin) {
		bad("pin is %.40q; want first_use or review", s.Pin)
	}
	if s.MaxResultBytes < 0 || s.MaxResultBytes > 16<<20 {
		bad("max_result_bytes is %d; want 1 to %d", s.MaxResultBytes, 16<<20)
	}
	if s.MaxConcurrent < 0 || s.MaxConcurrent > 1000 {
		bad("max_concurrent is %d; want 1 to 1000", s.MaxConcurrent)
	}
	if s.StartSeconds < 0 || s.StartSeconds > 600 {
		bad("start_seconds is %v; want up to 600", s.StartSeconds)
	}
	s.Settings.check("", bad)
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		s.Tools[name].check(fmt.Sprintf("tools.%.80s: ", name), bad)
	}
	return errors.Join(errs...)
}

type complain = func(format string, args ...any)

func (s *Server) checkURL(bad complain) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		bad("url must begin with http:// or https:// and name a host")
	case u.User != nil:
		bad("url must not hold a user name or password; use headers")
	}
	if len(s.Args) > 0 || len(s.Env) > 0 || s.Dir != "" || s.CWD != "" {
		bad("args, env and dir are of a command; a url has none")
	}
	switch s.Type {
	case "", "http", "streamable-http", "streamableHttp":
	case "sse":
		bad("type sse is not supported; ask the server for streamable HTTP")
	default:
		bad("type %.40q does not go with url; want http", s.Type)
	}
	for name, value := range s.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			bad("headers: %.80q is not a header", name)
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (s *Server) checkCommand(bad complain) {
	if s.Type != "" && s.Type != "stdio" {
		bad("type %.40q does not go with command; want stdio", s.Type)
	}
	if len(s.Headers) > 0 || s.Private {
		bad("headers and private are of a url; a command has none")
	}
	if s.Dir != "" && s.CWD != "" && s.Dir != s.CWD {
		bad("dir and cwd are the same; write one of them")
	}
	if s.Dir == "" {
		s.Dir = s.CWD
	}
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		bad("dir must be an absolute path")
	}
	for name := range s.Env {
		if !variableName.MatchString(name) {
			bad("env: %.80q is not the name of a variable", name)
		}
	}
	for _, text := range append([]string{s.Command}, s.Args...) {
		if strings.ContainsRune(text, 0) {
			bad("command and args must not hold a zero byte")
		}
	}
}

func (s Settings) check(where string, bad complain) {
	if !slices.Contains([]tool.Risk{"", tool.Low, tool.Medium, tool.High}, s.Risk) {
		bad("%srisk is %.40q; want low, medium or high", where, s.Risk)
	}
	if !slices.Contains([]tool.Confirmation{"", tool.ConfirmNever, tool.ConfirmIfDestructive, tool.ConfirmAlways}, s.Confirmation) {
		bad("%sconfirmation is %.40q; want never, if_destructive or always", where, s.Confirmation)
	}
	if s.TimeoutSeconds < 0 || s.TimeoutSeconds > 3600 {
		bad("%stimeout_seconds is %v; want up to 3600", where, s.TimeoutSeconds)
	}
	if s.Destructive != nil && *s.Destructive && s.Mutates != nil && !*s.Mutates {
		bad("%sa destructive tool mutates", where)
	}
	if s.Scopes != nil {
		if err := scope.Check(*s.Scopes); err != nil {
			bad("%sscopes: %w", where, err)
		}
	}
}

var (
	reference  = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	secretName = regexp.MustCompile(`(?i)token|secret|passw|api_?key|authorization|cookie|credential|private_?key`)
)

// warnings returns warnings about secrets in the file.
func (s *Server) warnings() []string {
	var list []string
	for what, values := range map[string]map[string]string{"env": s.Env, "headers": s.Headers} {
		for name, value := range values {
			if secretName.MatchString(name) && value != "" && !reference.MatchString(value) {
				list = append(list,
					fmt.Sprintf("%s.%.80s looks like a secret that is written in the file; put it into the worker's environment and write ${NAME}",
						what, name))
			}
		}
	}
	slices.Sort(list)
	return list
}

// expand replaces ${NAME} by the worker's variables.
func (s *Server) expand(env func(string) (string, bool)) error {
	var errs []error
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			values[name] = reference.ReplaceAllStringFunc(values[name], func(ref string) string {
				value, ok := env(ref[2 : len(ref)-1])
				if !ok {
					errs = append(errs, fmt.Errorf("%s needs the variable %s, which is not set for the worker", name, ref[2:len(ref)-1]))
				}
				return value
			})
		}
	}
	return errors.Join(errs...)
}

// offers reports whether the operator's patterns include a tool of that name.
func (s *Server) offers(name string) bool {
	matches := func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	}
	return (len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, matches)) && !slices.ContainsFunc(s.Deny, matches)
}
