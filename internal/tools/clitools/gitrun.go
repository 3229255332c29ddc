package clitools

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/gitview"
	"github.com/helve-dev/helve/tool"
)

// viewed returns git with arguments that only read, under a view of the repository that
// contains dir.
func viewed(ctx context.Context, call *tool.Call, dir string, args []string) (tool.Program, error) {
	top, err := repository(call.Files, dir)
	if err != nil {
		return tool.Program{}, err
	}
	up := "./" + strings.Repeat("../", depth(dir)-depth(top))
	run := tool.Program{
		Name:      "git",
		Dir:       dir,
		ReadOnly:  true,
		MaxOutput: keptOutput,
		Env:       append(gitview.Env(), "GIT_OPTIONAL_LOCKS=0", "GIT_DIR="+up+".git", "GIT_WORK_TREE="+up),
	}
	run.Args = []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}
	ran, err := call.Programs.Run(ctx, run)
	if err != nil {
		return tool.Program{}, err
	}
	common := strings.TrimSuffix(string(ran.Stdout), "\n")
	run.Args = gitview.Reading()
	if ran.Code == 0 {
		ran, err = call.Programs.Run(ctx, run)
	}
	switch {
	case err != nil:
		return tool.Program{}, err
	case ran.Code > 1 || ran.StdoutCut > 0 || !path.IsAbs(common):
		return tool.Program{}, tool.Fail(tool.ExecutionError,
			"The repository in '%s' cannot be read: its .git is damaged, or leads to what is not in the workspace.", path.Join(top, "."))
	}
	kept := slices.DeleteFunc(gitview.Settings(ran.Stdout), func(s gitview.Setting) bool { return s.Key == "core.hookspath" })
	run.Name, run.Args = "sh", gitview.Shell(common, gitview.Text(kept), append([]string{"--no-pager"}, args...)...)
	return run, nil
}

// repository returns the directory of the workspace, dir or one above it, that has a .git.
func repository(files tool.Files, dir string) (string, error) {
	for at := path.Clean(dir); ; at = path.Dir(at) {
		if _, err := files.Stat(path.Join(at, ".git")); err == nil {
			return at, nil
		}
		if at == "." {
			return "", tool.Fail(tool.ExecutionError,
				"Not a git repository: neither '%s' nor a directory above it in the workspace has a .git; name its directory in cwd.", path.Clean(dir))
		}
	}
}

func depth(dir string) int {
	clean := path.Clean(dir)
	if clean == "." {
		return 0
	}
	return strings.Count(clean, "/") + 1
}

// unknownSettings returns the settings of a repository that are neither taken over by a
// view nor overridden, and may therefore start a program.
func unknownSettings(ctx context.Context, call *tool.Call, dir string) ([]string, error) {
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: "git", Args: []string{"config", "--null", "--name-only", "--local", "--list"}, Dir: dir, ReadOnly: true, MaxOutput: keptOutput,
		Env: gitview.Guard(),
	})
	if err != nil || ran.Code != 0 {
		return nil, err // there is no repository, whose settings could matter
	}
	if ran.StdoutCut > 0 {
		return []string{"more than can be examined"}, nil
	}
	var unknown []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(ran.Stdout), "\x00"), "\x00") {
		if name != "" && !gitview.Harmless(name) && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown, nil
}
