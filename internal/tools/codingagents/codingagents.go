// Package codingagents holds the tools that give a coding task to an agent program
// of the worker's machine: Claude Code, Codex, Gemini CLI, or one that an operator
// names.
//
// # What is run
//
// In the workspace, on a terminal, with the network, as the port for programs
// confines it, by provider; <…> is left out where it was not given:
//
//	claude-code: claude -p --output-format stream-json --verbose --permission-mode acceptEdits
//	  --max-turns=N --max-budget-usd=X <--model=M> -- PROMPT
//	codex: codex exec --skip-git-repo-check --sandbox workspace-write --color never <--model=M> -- PROMPT
//	gemini-cli: gemini --approval-mode=auto_edit <--model=M> --prompt=PROMPT
//	custom:NAME: what the operator wrote
//
// They may edit files of the workspace; what else they do unasked is their own
// business, within the confinement.
//
// # What an operator configures
//
// The services "coding-claude-code", "coding-codex" and "coding-gemini" hold the
// field api_key, which the program alone gets, in its own variable. A program of
// one's own is an entry of the service "coding_agents"; its label is the NAME:
//
//	program      by its name on the worker's PATH
//	args         words with spaces between, or a JSON array of them; {prompt}, {model},
//	             {max_turns} and {max_budget_usd} stand for what was given, and a word
//	             of one that was not is left out. Without {prompt} it comes last, after "--"
//	api_key, api_key_env  a key, and the variable in which the program wants it
//	title, version_args
//
// # What it promises
//
// At most three sessions of a person run at once, on all workers together. A session
// ends with its time, its budget as far as the program tells what it spent, or its
// call; with it ends whatever it started. Its text is streamed as it comes and kept
// for 30 days, also of one that failed, was cancelled or ran out of time: without
// control sequences, without the key, the last megabyte of it.
//
// # What it does not promise
//
// A session whose worker dies is not kept. What an agent sends to its provider is
// between the two: the program reaches whatever the worker's machine does.
package codingagents

import (
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Set is the tools of this package.
var Set = tool.NewSet("Coding Agents", "codingAgents")

// Where sessions are kept. The summaries are those of the results, small enough to
// list; the slots are the sessions that run.
const (
	results   = "coding_results"
	summaries = "coding_summaries"
	slots     = "coding_slots"

	keep = 30 * 24 * time.Hour
)

// outside refuses, before anybody is asked, a directory that cannot be in the
// workspace.
func outside(cwd string) error {
	clean := path.Clean(strings.ReplaceAll(cwd, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || len(clean) > 1 && clean[1] == ':' {
		return tool.Fail(tool.PathNotAllowed, "cwd must be a directory of the workspace, relative to its top, not '%.100s'.", cwd)
	}
	return nil
}
