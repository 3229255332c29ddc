// Package codingagents holds the tools that give a coding task to an agent program of
// the worker's machine: Claude Code, Codex, Gemini CLI, or a program that an
// operator configures.
//
// # What is run
//
// In the workspace, on a terminal, with the network, as the port for programs confines
// it, by provider; <…> is omitted if it was not given:
//
//	claude-code: claude -p --output-format stream-json --verbose --permission-mode acceptEdits
//	  --max-turns=N --max-budget-usd=X <--model=M> -- PROMPT
//	codex: codex exec --skip-git-repo-check --sandbox workspace-write --color never <--model=M> -- PROMPT
//	gemini-cli: gemini --approval-mode=auto_edit <--model=M> --prompt=PROMPT
//	custom:NAME: what the operator wrote
//
// They may edit files of the workspace. What else they do without asking is up to the
// program, within the confinement.
//
// # What an operator configures
//
// The services "coding-claude-code", "coding-codex" and "coding-gemini" hold the field
// api_key, which the program alone gets, in its own variable. A program of one's own is
// an entry of the service "coding_agents"; its label is the NAME:
//
//	program      by its name on the worker's PATH
//	args         words with spaces between, or a JSON array of them; {prompt}, {model},
//	             {max_turns} and {max_budget_usd} stand for what was given, and a word
//	             of a missing value is left out. Without {prompt} it comes last, after "--"
//	api_key, api_key_env  a key, and the variable in which the program wants it
//	title, version_args
//
// # What it promises
//
// At most three sessions of a person run concurrently, on all workers together. A
// session ends when its time is over, when its budget is spent (if the program reports
// its costs), or when its call ends; all processes it started end with it. Its text is
// streamed as it arrives, and the last megabyte is kept for 30 days, even if the session
// failed, was cancelled or timed out. Control sequences and the key are removed.
//
// # What it does not promise
//
// A session whose worker dies is not kept. Helve does not control what an agent sends
// to its provider: the program reaches every host that the worker's machine reaches.
package codingagents

import (
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Set holds the tools of this package.
var Set = tool.NewSet("Coding Agents", "codingAgents")

// The collections of sessions. The summaries list the results, small enough to list;
// the slots are the running sessions.
var (
	results   = tool.NewCollection[kept]("coding_results")
	summaries = tool.NewCollection[summary]("coding_summaries")
	slots     = tool.NewCollection[slot]("coding_slots")
)

// keep is the time for which a session is listed and read. Older ones are removed when the
// next one is stored.
const keep = 30 * 24 * time.Hour

// outside refuses a directory that cannot be in the workspace, before a person is
// asked.
func outside(cwd string) error {
	clean := path.Clean(strings.ReplaceAll(cwd, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || len(clean) > 1 && clean[1] == ':' {
		return tool.Fail(tool.PathNotAllowed, "cwd must be a directory of the workspace, relative to its top, not '%.100s'.", cwd)
	}
	return nil
}
