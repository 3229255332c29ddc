package clitools

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	installTime = 5 * time.Minute
	// maxInstallOutput limits the returned output of the package manager, in
	// characters.
	maxInstallOutput = 4000
	// registryService names the entry with which operators set their registry.
	registryService = "npm"
	publicRegistry  = "https://registry.npmjs.org/"
)

// The install methods, as callers name them.
const (
	byNPM  = "npm-global"
	byPNPM = "pnpm-global"
)

type installArgs struct {
	Name   string `json:"name" min:"1" max:"64" doc:"The CLI tool; list_cli_tools shows which have an npxPackage."`
	Method string `json:"method" enum:"npm-global,pnpm-global" doc:"Package manager that installs it."`
}

type installResult struct {
	ToolName string `json:"toolName"`
	ExitCode int    `json:"exitCode" doc:"0 is success."`
	Output   string `json:"output" doc:"What the package manager said."`
}

var _ = tool.Add(Set, tool.Spec[installArgs, installResult]{
	Name: "install_cli_tool",
	Description: "Install a command-line program that comes as an npm package, such as prettier or eslint, for the caller, " +
		"so that run_cli_tool can run it, and return what the package manager said.",
	Tags:       []string{"cli", "tool", "install", "setup", "npm", "npx", "package", "add program"},
	Risk:       tool.High,
	Mutates:    true,
	Idempotent: true,
	OpenWorld:  true,
	Scopes:     tool.Scopes{Hosts: []string{"*"}},
	Errors:     []tool.Kind{tool.NotConfigured, tool.Unsupported, tool.ExecutionError},
	Example:    `{"name":"prettier","method":"npm-global"}`,
	Needs:      tool.NeedPrograms | tool.NeedSecrets,
	Timeout:    installTime,
	Check:      checkInstall,
	Run:        installCLITool,
})

func checkInstall(ctx context.Context, call *tool.Call, args installArgs) error {
	if call.Secrets == nil {
		return nil
	}
	_, err := installable(ctx, call, args.Name)
	return err
}

// installable returns a program that can be installed and may be run.
func installable(ctx context.Context, call *tool.Call, name string) (*program, error) {
	p, err := find(ctx, call.Secrets, name)
	switch {
	case err != nil:
		return nil, err
	case p.npm == "":
		return nil, tool.Fail(tool.Unsupported, "'%s' does not come as an npm package; ask the operator to install it on the worker.", p.name)
	}
	_, err = p.permit(nil)
	return p, err
}

// installCLITool installs a program outside the workspace, where no other tool can change
// it. No script of a package runs, and no file of the workspace configures the package
// manager, because the workspace is not there.
func installCLITool(ctx context.Context, call *tool.Call, args installArgs) (installResult, error) {
	p, err := installable(ctx, call, args.Name)
	if err != nil {
		return installResult{}, err
	}
	for _, name := range []string{"node", managerOf(args.Method)} {
		if _, err := call.Programs.Find(name); err != nil {
			return installResult{}, err
		}
	}
	registry, err := registryOf(ctx, call.Secrets)
	if err != nil {
		return installResult{}, err
	}
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: managerOf(args.Method), Args: arguments(args.Method, p.npm), Network: true, Install: p.executable(), MaxOutput: keptOutput,
		Env: []string{
			"npm_config_registry=" + registry, "npm_config_globalconfig=/dev/null",
			"npm_config_update_notifier=false", "NO_COLOR=1", "CI=1",
			// A registry that does not answer is reported within a minute.
			"npm_config_fetch_retries=1", "npm_config_fetch_retry_mintimeout=1000", "npm_config_fetch_timeout=20000",
		},
	})
	if err != nil {
		return installResult{}, err
	}
	output, _ := readable(append(ran.Stdout, ran.Stderr...), maxInstallOutput)
	res := installResult{ToolName: p.name, ExitCode: ran.Code, Output: output}
	if _, err := call.Programs.Find(p.executable()); ran.Code == 0 && err != nil {
		return installResult{}, tool.Fail(tool.ExecutionError, "The package %s was installed, but the program '%s' is not in it.",
			p.npm, p.name).Because(err)
	}
	return res, nil
}

func managerOf(method string) string {
	if method == byPNPM {
		return "pnpm"
	}
	return "npm"
}

// arguments returns those of the package manager. With -g npm reads no settings and no
// package.json of the directory; pnpm needs options for that.
func arguments(method, pkg string) []string {
	if method == byPNPM {
		return []string{
			"add", "--dir", "lib", "--ignore-scripts", "--ignore-workspace", "--ignore-pnpmfile",
			"--config.node-linker=hoisted", "--config.package-import-method=copy", pkg,
		}
	}
	return []string{"install", "--global", "--prefix", ".", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", pkg}
}

// registryOf returns the registry that packages come from.
func registryOf(ctx context.Context, secrets tool.Secrets) (string, error) {
	entries, err := secrets.Entries(ctx, registryService)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if !e.Active {
			continue
		}
		text := cmp.Or(e.Data["registry"], publicRegistry)
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return "", tool.Fail(tool.NotConfigured, "The field registry of the service 'npm' is not a URL; the operator corrects it: "+
				"helve config set npm registry=https://registry.npmjs.org")
		}
		return text, nil
	}
	return publicRegistry, nil
}
