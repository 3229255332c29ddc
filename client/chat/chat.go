package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/client"
)

// Options select and configure a model.
type Options struct {
	// Provider is openai, openai_responses, anthropic or gemini.
	Provider string
	// Model is the provider's name of the model.
	Model string
	// BaseURL is the URL of the provider's API; it has a default. OpenAI's ends with
	// its version, /v1, as with compatible servers; the others' do not.
	BaseURL string
	// Key is the API key. It may be empty, for private servers that need none.
	Key string
	// System is the system instruction; "" for none.
	System string
	// MaxTokens bounds an answer. 0 leaves it to the provider; Anthropic requires a
	// bound, so 0 means 8192 there.
	MaxTokens int
	// Idle is the longest time the provider may send nothing, not even a keep-alive; 5
	// minutes by default. Models think for minutes before the first word.
	Idle time.Duration
	// HTTP sends the requests; by default a client with Go's default transport. Its
	// CheckRedirect is not used. Its Timeout, which should be 0, bounds a whole answer.
	HTTP *http.Client
}

const (
	defaultIdle      = 5 * time.Minute
	anthropicMaximum = 8192
)

// dialect holds the differences between providers.
type dialect struct {
	base string   // the default of Options.BaseURL
	keys []string // environment variables
	// path returns the path below the base URL.
	path func(o *Options) string
	// keyHeader is the header of the key, whose value follows keyPrefix; header has
	// further headers of each request, name by name.
	keyHeader, keyPrefix string
	header               map[string]string
	// user returns a person's text, and body a request; both are marshalled.
	user func(text string) any
	body func(o *Options, conversation []json.RawMessage, tools json.RawMessage) any
	// assemble starts an answer in a conversation of that many items.
	assemble func(s *speech, items int) assembler
}

var dialects = map[string]*dialect{
	"openai":           &openAIDialect,
	"openai_responses": &responsesDialect,
	"anthropic":        &anthropicDialect,
	"gemini":           &geminiDialect,
}

const providers = "openai, openai_responses, anthropic or gemini"

// KeyVariable returns the environment variables from which the provider's own programs
// read the API key, the usual one first; none for an unknown provider.
func KeyVariable(provider string) []string {
	d, ok := dialects[provider]
	if !ok {
		return nil
	}
	return slices.Clone(d.keys)
}

// New returns a model, without checking that it exists. The error reports everything
// that is wrong with the options.
func New(o Options) (client.Model, error) {
	d, ok := dialects[o.Provider]
	if !ok {
		return nil, fmt.Errorf("there is no provider %.80q; use %s", o.Provider, providers)
	}
	if o.BaseURL == "" {
		o.BaseURL = d.base
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.MaxTokens == 0 && o.Provider == "anthropic" {
		o.MaxTokens = anthropicMaximum
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &model{o: o, d: d}
	if o.HTTP != nil {
		m.http = *o.HTTP
	}
	// A redirected request would carry the key: for another host net/http removes
	// Authorization, but not the headers of Anthropic and Gemini.
	m.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return m, nil
}

func (o *Options) check() error {
	var errs []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	bad(o.Model == "", "there is no model; give its name as the provider has it")
	bad(slices.ContainsFunc(strings.Split(o.Model, "/"), notInPath) && o.Provider == "gemini" && o.Model != "",
		"the model %.80q is no name of Gemini's", o.Model)
	bad(strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }), "the key must be one word of visible ASCII characters")
	bad(o.MaxTokens < 0, "MaxTokens is %d; it must not be negative", o.MaxTokens)
	bad(o.Idle < 0, "Idle is %v; it must not be negative", o.Idle)
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		bad(true, "the base URL cannot be read; use https://HOST/PATH")
	default:
		bad(u.User != nil, "the base URL must hold no user; give the key by itself")
		bad(u.RawQuery != "" || u.ForceQuery || u.Fragment != "", "the base URL must end with its path, without query or fragment")
	}
	return errors.Join(errs...)
}

// notInPath reports whether a segment would change the path of a URL.
func notInPath(segment string) bool { return segment == "" || segment == "." || segment == ".." }
