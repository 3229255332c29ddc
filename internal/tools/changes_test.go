package tools

import (
	"testing"

	"github.com/helve-dev/helve/tool"
)

// changeNoFile are the tools that change something and get the files of the workspace without
// naming those that they replace or remove, with the reason.
var changeNoFile = map[string]string{
	"create_folder":    "makes directories only",
	"files.ensure_dir": "makes directories only",
	"files.move_glob":  "moves nothing if a file would be replaced",
	"image_variation":  "gives its files names that are free",
	"split_audio":      "gives its files names that depend on how long the sound is",
	"read_email":       "gives its files names that are free",
	"extract_archive":  "an archive has thousands of files",
	"git_add":          "changes the repository, whose own history has what was there",
	"git_branch":       "changes the repository, whose own history has what was there",
	"git_checkout":     "changes the repository, whose own history has what was there",
	"git_commit":       "changes the repository, whose own history has what was there",
	"send_email":       "reads files only",
	"reply_email":      "reads files only",
	"parse_receipt":    "reads files only",
	"import_data":      "reads files only",
	"run_cli_tool":     "runs a program that can do anything with the workspace",
	"shell.run":        "runs a program that can do anything with the workspace",
	"run_coding_task":  "runs a program that can do anything with the workspace",
}

// TestToolsNameTheFilesThatTheyReplace: a tool that may replace or remove a file names it, so that
// the person who is asked sees what goes, and is asked again if somebody changes it.
func TestToolsNameTheFilesThatTheyReplace(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for name := range changeNoFile {
		left[name] = true
	}
	for _, set := range Builtin() {
		for _, tl := range set.Tools() {
			if !tl.Mutates || !tl.Needs.Has(tool.NeedFiles) {
				continue
			}
			inv, err := tl.Bind(tl.Example)
			if err != nil {
				t.Errorf("%s: its example cannot be run: %v", tl.Name, err)
				continue
			}
			if _, known := changeNoFile[tl.Name]; known == (inv.Changes != nil) {
				t.Errorf("%s: set Changes in its Spec, or name the reason in this test", tl.Name)
			}
			delete(left, tl.Name)
		}
	}
	for name := range left {
		t.Errorf("%s needs no exception", name)
	}
}
