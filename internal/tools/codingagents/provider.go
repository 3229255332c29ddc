package codingagents

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// provider is an agent program.
type provider struct {
	id      string
	title   string
	program string
	install string // the command that installs the program; "" if unknown
	service string // of the config center; for a custom agent the entry's label is its name
	keyVar  string // the variable in which the program expects its key; "" if it needs none
	key     string
	env     []string
	command func(*task) []string
	events  bool // it prints Claude Code's events
	// settings are files and directories whose settings the program obeys, such as hooks
	// and servers that it starts. A directory that has one is refused.
	settings []string
	version  []string
}

// customService names the entries with which operators configure their own programs.
const (
	customService = "coding_agents"
	customPrefix  = "custom:"
)

// known lists the programs that need only a key.
func known() []provider {
	return []provider{
		{
			id: "claude-code", title: "Claude Code", program: "claude", install: "npm install -g @anthropic-ai/claude-code",
			service: "coding-claude-code", keyVar: "ANTHROPIC_API_KEY",
			env: []string{"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}, command: claudeCode, events: true,
			version: []string{"--version"},
		},
		{
			id: "codex", title: "OpenAI Codex", program: "codex", install: "npm install -g @openai/codex", service: "coding-codex",
			keyVar: "CODEX_API_KEY", command: codex, settings: []string{".codex"}, version: []string{"--version"},
		},
		{
			id: "gemini-cli", title: "Gemini CLI", program: "gemini", install: "npm install -g @google/gemini-cli", service: "coding-gemini",
			keyVar: "GEMINI_API_KEY", env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}, command: geminiCLI, settings: []string{".gemini", ".env"},
			version: []string{"--version"},
		},
	}
}

func claudeCode(t *task) []string {
	args := []string{
		"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits",
		// Nobody has agreed to the hooks and servers that files of the workspace name.
		"--setting-sources=user", "--strict-mcp-config",
		"--max-turns=" + strconv.Itoa(t.turns), "--max-budget-usd=" + dollars(t.budget),
	}
	if t.model != "" {
		args = append(args, "--model="+t.model)
	}
	return append(args, "--", t.prompt)
}

func codex(t *task) []string {
	args := []string{"exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "--color", "never"}
	if t.model != "" {
		args = append(args, "--model="+t.model)
	}
	return append(args, "--", t.prompt)
}

func geminiCLI(t *task) []string {
	args := []string{"--approval-mode=auto_edit"}
	if t.model != "" {
		args = append(args, "--model="+t.model)
	}
	return append(args, "--prompt="+t.prompt)
}

func dollars(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

var (
	nameForm     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	variableForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
)

// maxWords limits an operator's template.
const maxWords = 64

// custom builds a provider from an operator's entry; the text is the error in the
// entry.
func custom(e tool.ServiceEntry) (p provider, wrong string) {
	p = provider{
		id: customPrefix + e.Label, title: cmp.Or(e.Data["title"], e.Label), program: e.Data["program"], service: customService,
		keyVar: e.Data["api_key_env"], key: strings.TrimSpace(e.Data["api_key"]), version: strings.Fields(e.Data["version_args"]),
	}
	words := strings.Fields(e.Data["args"])
	if strings.HasPrefix(strings.TrimSpace(e.Data["args"]), "[") {
		words = nil
		if json.Unmarshal([]byte(e.Data["args"]), &words) != nil {
			return p, "args"
		}
	}
	switch {
	case !nameForm.MatchString(p.program):
		return p, "program"
	case len(words) > maxWords:
		return p, "args"
	case p.keyVar != "" &&
		(!variableForm.MatchString(p.keyVar) || slices.Contains([]string{"PATH", "HOME", "TMPDIR"}, p.keyVar) ||
			strings.HasPrefix(p.keyVar, "LD_")):
		return p, "api_key_env"
	}
	p.command = func(t *task) []string { return t.fill(words) }
	return p, ""
}

// fill replaces the placeholders in an operator's words.
func (t *task) fill(words []string) []string {
	put := strings.NewReplacer("{prompt}", t.prompt, "{model}", t.model, "{max_turns}", strconv.Itoa(t.turns), "{max_budget_usd}",
		dollars(t.budget))
	var args []string
	asked := false
	for _, word := range words {
		if t.model == "" && strings.Contains(word, "{model}") {
			continue
		}
		asked = asked || strings.Contains(word, "{prompt}")
		args = append(args, put.Replace(word))
	}
	if !asked {
		args = append(args, "--", t.prompt)
	}
	return args
}

// providers returns the known providers with their keys, and the operator's own in
// order.
func providers(ctx context.Context, secrets tool.Secrets) ([]provider, error) {
	all := known()
	for i := range all {
		entries, err := secrets.Entries(ctx, all[i].service)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if key := strings.TrimSpace(e.Data["api_key"]); e.Active && key != "" {
				all[i].key = key
				break
			}
		}
	}
	entries, err := secrets.Entries(ctx, customService)
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, e := range entries {
		if p, wrong := custom(e); e.Active && wrong == "" && nameForm.MatchString(e.Label) && !own[e.Label] {
			own[e.Label] = true
			all = append(all, p)
		}
	}
	slices.SortFunc(all[len(known()):], func(a, b provider) int { return cmp.Compare(a.id, b.id) })
	return all, nil
}

// find returns the provider with that id.
func find(ctx context.Context, secrets tool.Secrets, id string) (*provider, error) {
	all, err := providers(ctx, secrets)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(all, func(p provider) bool { return p.id == id }); at >= 0 {
		return &all[at], nil
	}
	name, own := strings.CutPrefix(id, customPrefix)
	if !own {
		return nil, tool.Fail(tool.ValidationError,
			"There is no coding agent '%.80s'; the provider is claude-code, codex, gemini-cli or custom:NAME.", id)
	}
	entries, err := secrets.Entries(ctx, customService)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if _, wrong := custom(e); e.Label == name && e.Active && wrong != "" {
			return nil, tool.Fail(tool.NotConfigured,
				"The coding agent 'custom:%s' has a %s that cannot be used; the operator corrects it: helve config set %s %s program=PROGRAM "+
					"'args=[\"{prompt}\"]'",
				name, wrong, customService, name)
		}
	}
	return nil, tool.Fail(tool.NotConfigured,
		"There is no coding agent 'custom:%[1].64s'; the operator adds one: helve config set %[2]s %[1].64s program=PROGRAM "+
			"'args=[\"{prompt}\"]'",
		name, customService)
}

// configured reports whether the provider has the key it needs.
func (p *provider) configured() bool { return p.keyVar == "" || p.key != "" }

// installing returns the instruction for installing the program.
func (p *provider) installing() string {
	if p.install == "" {
		return "installs its program '" + p.program + "'"
	}
	return "installs it with '" + p.install + "'"
}

// missingKey returns the instruction for setting the key.
func (p *provider) missingKey() error {
	return tool.Fail(tool.NotConfigured,
		"%s has no API key, neither for this person nor for the tenant. Set it: helve config set %s --stdin api_key (with --user NAME for "+
			"one person)",
		p.title, p.service)
}
