package apitools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/internal/toolbox/foreign"
	"github.com/helve-dev/helve/tool"
)

// API is an item of the file: a document whose operations are offered.
type API struct {
	Name     string `yaml:"name"`
	Document string `yaml:"document"`
	// BaseURL replaces the server of the document. The guard lets requests to exactly its
	// host and port through, also if they are internal.
	BaseURL string `yaml:"base_url"`
	// Service binds the security schemes of the document to services.
	Service Binding `yaml:"service"`
	// Include and Exclude are patterns of operationIds.
	Include patterns `yaml:"include"`
	Exclude patterns `yaml:"exclude"`
	// Risk replaces the risk of operations, by operationId.
	Risk map[string]tool.Risk `yaml:"risk"`

	Unknown map[string]any `yaml:",inline"`
	entry   int
}

// Binding maps security schemes to services. All is the service of every scheme.
type Binding struct {
	All      string
	ByScheme map[string]string
}

// UnmarshalYAML reads one name, or names by scheme.
func (b *Binding) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&b.All)
	}
	return n.Decode(&b.ByScheme)
}

// patterns are one pattern, or a list of them.
type patterns []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (p *patterns) UnmarshalYAML(n *yaml.Node) error {
	var list []string
	if n.Kind == yaml.ScalarNode {
		list = []string{""}
		err := n.Decode(&list[0])
		*p = list
		return err
	}
	err := n.Decode(&list)
	*p = list
	return err
}

// of returns the service of a scheme; "" if none is bound.
func (b Binding) of(scheme string) string {
	if service := b.ByScheme[scheme]; service != "" {
		return service
	}
	return b.All
}

// Problem is an error that prevents the use of a document, or of one of its operations.
type Problem struct {
	// File is the document as the file names it, or the file itself, and Entry the place of
	// the item from 0; -1 for the file.
	File   string
	Entry  int
	API    string
	Reason string
}

const (
	maxFile = 1 << 20
	maxAPIs = 100
)

// Read parses the file of documents. The error concerns the file as a whole.
func Read(path string) ([]API, []Problem, error) {
	text, err := readFile(path, maxFile)
	if err != nil {
		return nil, nil, err
	}
	return parse(text)
}

// readFile reads a file of a maximum size. Its errors do not contain the path.
func readFile(path string, longest int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case !info.Mode().IsRegular(): // opening a pipe would block
		return nil, errors.New("it is not a file")
	case info.Size() > longest:
		return nil, fmt.Errorf("it is larger than %d bytes", longest)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err == nil && int64(len(text)) > longest {
		err = fmt.Errorf("it is larger than %d bytes", longest)
	}
	return text, err
}

func withoutPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

func parse(text []byte) ([]API, []Problem, error) {
	const form = `it must be a YAML list of documents, such as "- {name: petstore, document: petstore.yaml}"`
	var list []yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s: %w", form, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New(form + "; it holds more than one YAML document")
	}
	if len(list) > maxAPIs {
		return nil, nil, fmt.Errorf("it has %d documents, at most %d are allowed", len(list), maxAPIs)
	}
	var apis []API
	var problems []Problem
	taken := map[string]bool{}
	for i := range list {
		api, err := parseItem(&list[i])
		if err == nil && taken[api.prefix()] {
			err = errors.New("another item has the same name; give it another one")
		}
		if err != nil {
			for reason := range strings.Lines(err.Error()) {
				problems = append(problems, Problem{
					File:   api.shownFile(),
					Entry:  i,
					API:    foreign.Text(api.Name, maxShownName),
					Reason: strings.TrimSpace(reason),
				})
			}
			continue
		}
		api.entry, taken[api.prefix()] = i, true
		apis = append(apis, api)
	}
	return apis, problems, nil
}

const maxShownName = 80

func parseItem(n *yaml.Node) (API, error) {
	var api API
	if n.Kind != yaml.MappingNode {
		return api, errors.New("it must be a mapping with name and document")
	}
	if err := n.Decode(&api); err != nil {
		return api, fmt.Errorf("line %d: %w", n.Line, err)
	}
	return api, api.check()
}

var (
	apiName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
	serviceName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// check returns everything that is wrong with an item.
func (a *API) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for field := range a.Unknown {
		bad("the field %.80q is not known; want some of name, document, base_url, service, include, exclude and risk", field)
	}
	if !apiName.MatchString(a.Name) {
		bad("its name must begin with a letter and have at most 32 letters, digits, _ and -")
	}
	switch {
	case a.Document == "":
		bad("document is missing: the path of the OpenAPI document, relative to this file")
	case strings.Contains(a.Document, "://"):
		bad("document must be a file, not a URL; download it, because documents are never read from the network")
	}
	if a.BaseURL != "" {
		if u, err := url.Parse(a.BaseURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			bad("base_url must be an http or https address without user, password and query")
		}
	}
	for _, service := range a.Service.names() {
		if !serviceName.MatchString(service) {
			bad("service %.80q is not the name of a service", service)
		}
	}
	for operation, risk := range a.Risk {
		if risk != tool.Low && risk != tool.Medium && risk != tool.High {
			bad("the risk of %.80q is %.40q; want low, medium or high", operation, risk)
		}
	}
	return errors.Join(errs...)
}

// names returns the services that are bound.
func (b Binding) names() []string {
	var names []string
	if b.All != "" {
		names = append(names, b.All)
	}
	for _, service := range b.ByScheme {
		names = append(names, service)
	}
	return names
}

// shownFile returns the document for callers, who are not shown directories of the host.
func (a *API) shownFile() string {
	if filepath.IsAbs(a.Document) {
		return filepath.Base(a.Document)
	}
	return foreign.Text(a.Document, maxShownName*2)
}

// Group returns the toggle group of its tools.
func (a *API) Group() string { return "openapi_" + a.Name }

// offers reports whether the operator's patterns include an operation.
func (a *API) offers(id string) bool {
	return (len(a.Include) == 0 || a.Include.match(id)) && !a.Exclude.match(id)
}

func (p patterns) match(id string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool { return match(pattern, id) })
}

// match reports whether a text fits a pattern, in which * is any number of characters.
func match(pattern, text string) bool {
	first, rest, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, last)
}
