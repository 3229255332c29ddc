package clitools

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// service names the entries with which operators configure programs.
const service = "cli_tools"

// customRisk is the default risk of an operator's own tool.
const customRisk = 60

var (
	nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)
	bounds   = struct{ does, args, tools int }{300, 64, 200}
)

// known returns the catalogue with the operator's changes, by name.
func known(ctx context.Context, secrets tool.Secrets) ([]program, error) {
	entries, err := secrets.Entries(ctx, service)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(catalogue)
	set := map[string]bool{}
	for _, e := range entries {
		at := slices.IndexFunc(all, func(p program) bool { return p.name == e.Label })
		switch {
		case !e.Active || !nameForm.MatchString(e.Label):
			continue
		case set[e.Label]:
			if strings.TrimSpace(e.Data["policy"]) == string(blocked) {
				all[at].policy = blocked
			}
			continue
		case at < 0 && (e.Data["program"] == "" || len(all) > len(catalogue)+bounds.tools):
			continue
		case at < 0:
			all = append(all, program{
				name:     e.Label,
				category: "custom",
				risk:     customRisk,
				does:     "A tool of the operator's own.",
				custom:   true,
				version:  []string{},
			})
			at = len(all) - 1
		}
		set[e.Label] = true
		all[at].configure(e.Data)
	}
	slices.SortFunc(all, func(a, b program) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// configure applies an entry to a program.
func (p *program) configure(data map[string]string) {
	p.policy = policy(strings.TrimSpace(data["policy"]))
	if p.policy != "" && p.policy != allowed && p.policy != prompt && p.policy != blocked {
		p.broken = "policy"
	}
	if file := data["program"]; file != "" {
		if !nameForm.MatchString(file) {
			p.broken = "program"
		}
		p.file = file
	}
	if text := data["risk"]; text != "" {
		risk, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || risk < 0 || risk > maxRisk {
			p.broken = "risk"
		}
		p.risk = risk
	}
	if text := data["network"]; text != "" {
		granted, err := strconv.ParseBool(strings.TrimSpace(text))
		if err != nil {
			p.broken = "network"
		}
		p.network = granted
	}
	if p.args = strings.Fields(data["args"]); len(p.args) > bounds.args {
		p.broken = "list of args"
	}
	if args := strings.Fields(data["version_args"]); len(args) > 0 {
		p.version = args
	}
	if text := data["description"]; text != "" && len(text) <= bounds.does {
		p.does = text
	}
	if text := data["category"]; text != "" && len(text) <= bounds.does {
		p.category = text
	}
}

// find returns the program of that name.
func find(ctx context.Context, secrets tool.Secrets, name string) (*program, error) {
	all, err := known(ctx, secrets)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(p program) bool { return p.name == name })
	if at < 0 {
		return nil, tool.Fail(tool.ValidationError, "There is no CLI tool '%.64s'; list_cli_tools shows those there are.", name)
	}
	return &all[at], nil
}
