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

// Options say which model to talk to.
type Options struct {
	// Provider is openai, openai_responses, anthropic or gemini.
	Provider string
	// Model is its name as the provider has it.
	Model string
	// BaseURL is where the provider's API is; its own by default. OpenAI's ends with
	// its version, /v1, as compatible servers have it; the others' have none.
	BaseURL string
	// Key is the API key. Without one none is sent, as servers of one's own like it.
	Key string
	// System is the system instruction; "" for none.
	System string
	// MaxTokens bounds an answer. 0 leaves it to the provider, but to Anthropic, which
	// wants a bound: 8192.
	MaxTokens int
	// Idle is how long the provider may send nothing, not even a sign of life; 5
	// minutes by default. Models think for minutes before they say the first word.
	Idle time.Duration
	// HTTP sends the requests; one with Go's default transport by default. Its
	// CheckRedirect is not used, and its Timeout, which should be 0, bounds a whole
	// answer.
	HTTP *http.Client
}

const (
	defaultIdle      = 5 * time.Minute
	anthropicMaximum = 8192
)

// dialect is what tells a provider from the others.
type dialect struct {
	base string   // the default of Options.BaseURL
	keys []string // environment variables
	// path is what follows the base URL.
	path func(o *Options) string
	// keyHeader is the header with the key, after keyPrefix; header is what else goes
	// with every request, name by name.
	keyHeader, keyPrefix string
	header               map[string]string
	// user is a person's text, and body a request; both are marshalled.
	user func(text string) any
	body func(o *Options, conversation []json.RawMessage, tools json.RawMessage) any
	// assemble begins an answer in a conversation of so many items.
	assemble func(s *speech, items int) assembler
}

var dialects = map[string]*dialect{
	"openai":           &openAIDialect,
	"openai_responses": &responsesDialect,
	"anthropic":        &anthropicDialect,
	"gemini":           &geminiDialect,
}

const providers = "openai, openai_responses, anthropic or gemini"

// KeyVariable lists the environment variables that the provider's own programs take
// the API key from, the usual one first; none for a provider that there is not.
func KeyVariable(provider string) []string {
	d, ok := dialects[provider]
	if !ok {
		return nil
	}
	return slices.Clone(d.keys)
}

// New returns a model, without asking whether it exists. The error says all that is
// wrong with the options.
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
	// A redirected request would carry the key along: net/http takes Authorization out
	// of one to another host, but not the headers of Anthropic and Gemini.
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
	bad(slices.ContainsFunc(strings.Split(o.Model, "/"), notInPath) && o.Provider == "gemini" && o.Model != "", "the model %.80q is no name of Gemini's", o.Model)
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

// notInPath finds what would make another path of a URL.
func notInPath(segment string) bool { return segment == "" || segment == "." || segment == ".." }
