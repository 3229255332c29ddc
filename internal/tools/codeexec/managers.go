package codeexec

// The arguments that a subcommand accepts.
const (
	nothing  = iota
	packages // names with versions
	names    // names only
	query    // a search term
	target   // a script of the project
)

// subcommand describes an allowed subcommand.
type subcommand struct {
	takes   int
	network bool
	// always lists options that are added in every case.
	always []string
}

// manager describes the allowed commands of a package manager. Everything that is not
// known to be harmless is refused, above all options that lead to other registries and
// directories, and commands that run or publish packages.
type manager struct {
	image   string
	program []string
	env     []string
	name    validity
	// subs maps each name to its subcommand.
	subs map[string]subcommand
	// flags maps the allowed options to whether they take a value.
	flags map[string]bool
}

// Packages have scripts that run at installation and could send the workspace over the
// same network. These scripts are disabled: most harmful packages rely on them, and few
// packages need them.
var (
	nodeEnv = []string{
		"npm_config_ignore_scripts=true", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_cache=/work/.npm",
		"TMPDIR=/work", "pnpm_config_ignore_scripts=true", "YARN_ENABLE_SCRIPTS=false", "YARN_CACHE_FOLDER=/work/.yarn",
		"COREPACK_ENABLE_DOWNLOAD_PROMPT=0",
	}
	// Source distributions run code, too. pip installs into the workspace, even if the
	// image protects the system's own packages from it, as Debian does.
	pythonEnv = []string{
		"PIP_ONLY_BINARY=:all:", "PIP_USER=1", "PIP_BREAK_SYSTEM_PACKAGES=1", "PYTHONUSERBASE=/workspace/.local", "PIP_NO_INPUT=1",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1", "PIP_NO_WARN_SCRIPT_LOCATION=1", "TMPDIR=/work",
	}
)

// managers maps names to package managers.
var managers = map[string]*manager{
	"npm": {
		image: "node", program: []string{"npm"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install i add", subcommand{packages, true, nil}}, {"ci", subcommand{nothing, true, nil}},
			{"uninstall remove rm un", subcommand{names, true, nil}}, {"update up upgrade", subcommand{names, true, nil}},
			{"list ls", subcommand{names, false, nil}}, {"explain why", subcommand{names, false, nil}}, {"outdated", subcommand{names, true, nil}},
			{"view info show", subcommand{packages, true, nil}}, {"search find", subcommand{query, true, nil}},
			{"audit", subcommand{nothing, true, nil}},
			{"dedupe", subcommand{nothing, true, nil}}, {"prune", subcommand{nothing, false, nil}},
			{"init", subcommand{nothing, false, []string{"--yes"}}},
			{"run run-script", subcommand{target, false, nil}}, {"test t start", subcommand{nothing, false, nil}},
			{"--version -v", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags(
			"-D --save-dev -E --save-exact -P --save-prod -S --save -O --save-optional --save-peer --no-save --production --prod "+
				"--legacy-peer-deps --force "+
				"--json --all -a --long -l --dry-run --package-lock-only --no-package-lock --no-audit --no-fund --ignore-scripts --yes -y --silent "+
				"-s --quiet -q --parseable -p",
			"--omit --include --only --depth"),
	},
	"yarn": {
		image: "node", program: []string{"yarn"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install", subcommand{nothing, true, noScripts}}, {"add", subcommand{packages, true, noScripts}},
			{"remove", subcommand{names, true, noScripts}}, {"upgrade up", subcommand{packages, true, noScripts}},
			{"list", subcommand{nothing, false, nil}}, {"outdated", subcommand{names, true, nil}}, {"info", subcommand{packages, true, nil}},
			{"why", subcommand{names, false, nil}}, {"audit", subcommand{nothing, true, nil}},
			{"init", subcommand{nothing, false, []string{"--yes"}}}, {"run", subcommand{target, false, nil}},
			{"test start", subcommand{nothing, false, nil}}, {"--version -v", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags("-D --dev -E --exact -O --optional -P --peer -T --tilde --production --prod --frozen-lockfile --immutable --no-lockfile "+
			"--pure-lockfile "+
			"--json --latest --ignore-scripts --silent -s --yes -y --non-interactive", "--depth --pattern"),
	},
	"pnpm": {
		// corepack downloads the pnpm version that the project requests and checks it.
		image: "node", program: []string{"corepack", "pnpm"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install i", subcommand{nothing, true, nil}}, {"add", subcommand{packages, true, nil}},
			{"remove rm uninstall un", subcommand{names, true, nil}},
			{"update up upgrade", subcommand{packages, true, nil}}, {"list ls", subcommand{names, true, nil}}, {"why", subcommand{names, true, nil}},
			{"outdated", subcommand{names, true, nil}}, {"audit dedupe prune init", subcommand{nothing, true, nil}},
			{"run", subcommand{target, true, nil}}, {"test start", subcommand{nothing, true, nil}}, {"--version -v", subcommand{nothing, true, nil}},
		}.byName(),
		flags: flags("-D --save-dev -E --save-exact -P --save-prod -O --save-optional --save-peer --prod --dev --no-optional --frozen-lockfile "+
			"--no-frozen-lockfile "+
			"--lockfile-only --json --long --latest -L --offline --prefer-offline --ignore-scripts --silent -s --force", "--depth"),
	},
	"pip": {
		image: "python", program: []string{"pip"}, env: pythonEnv, name: pipName,
		subs: subs{
			{"install", subcommand{packages, true, nil}}, {"uninstall", subcommand{names, false, []string{"--yes"}}},
			{"list", subcommand{nothing, false, nil}},
			{"show", subcommand{names, false, nil}}, {"freeze", subcommand{nothing, false, nil}}, {"check", subcommand{nothing, false, nil}},
			{"--version -V", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags("-U --upgrade --pre --no-deps --dry-run --user --no-cache-dir --force-reinstall --ignore-installed -y --yes -q --quiet -v "+
			"--verbose "+
			"-u --uptodate --not-required -l --local --files", "-r --requirement -c --constraint --format"),
	},
}

// noScripts is for yarn 1, which ignores the environment here.
var noScripts = []string{"--ignore-scripts"}
