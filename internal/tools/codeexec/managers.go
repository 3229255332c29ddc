package codeexec

// What may stand behind a subcommand.
const (
	nothing  = iota
	packages // names with versions
	names    // names alone
	query    // a word to look for
	target   // a script of the project
)

// subcommand is one that is allowed.
type subcommand struct {
	takes   int
	network bool
	// always are options it is given in any case.
	always []string
}

// manager is a package manager: what of it is allowed. What is not known here to be
// harmless is refused, above all what leads to other registries and directories, and
// what runs or publishes packages.
type manager struct {
	image   string
	program []string
	env     []string
	name    validity
	// subs are the subcommands, by each of their names.
	subs map[string]subcommand
	// flags are the options; those that take a value are true.
	flags map[string]bool
}

// Packages come with scripts that run when they are installed, which could carry
// the workspace away over the same network. They are not run: this is what most of
// them are for that do harm, and few need them.
var (
	nodeEnv = []string{
		"npm_config_ignore_scripts=true", "npm_config_fund=false", "npm_config_update_notifier=false", "npm_config_cache=/work/.npm", "TMPDIR=/work",
		"pnpm_config_ignore_scripts=true", "YARN_ENABLE_SCRIPTS=false", "YARN_CACHE_FOLDER=/work/.yarn", "COREPACK_ENABLE_DOWNLOAD_PROMPT=0",
	}
	// Source distributions run code, too, and pip installs where the workspace keeps it.
	pythonEnv = []string{
		"PIP_ONLY_BINARY=:all:", "PIP_USER=1", "PYTHONUSERBASE=/workspace/.local", "PIP_NO_INPUT=1",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1", "PIP_NO_WARN_SCRIPT_LOCATION=1", "TMPDIR=/work",
	}
)

// managers are the package managers by name.
var managers = map[string]*manager{
	"npm": {
		image: "node", program: []string{"npm"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install i add", subcommand{packages, true, nil}}, {"ci", subcommand{nothing, true, nil}},
			{"uninstall remove rm un", subcommand{names, true, nil}}, {"update up upgrade", subcommand{names, true, nil}},
			{"list ls", subcommand{names, false, nil}}, {"explain why", subcommand{names, false, nil}}, {"outdated", subcommand{names, true, nil}},
			{"view info show", subcommand{packages, true, nil}}, {"search find", subcommand{query, true, nil}}, {"audit", subcommand{nothing, true, nil}},
			{"dedupe", subcommand{nothing, true, nil}}, {"prune", subcommand{nothing, false, nil}}, {"init", subcommand{nothing, false, []string{"--yes"}}},
			{"run run-script", subcommand{target, false, nil}}, {"test t start", subcommand{nothing, false, nil}}, {"--version -v", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags(
			"-D --save-dev -E --save-exact -P --save-prod -S --save -O --save-optional --save-peer --no-save --production --prod --legacy-peer-deps --force "+
				"--json --all -a --long -l --dry-run --package-lock-only --no-package-lock --no-audit --no-fund --ignore-scripts --yes -y --silent -s --quiet -q --parseable -p",
			"--omit --include --only --depth"),
	},
	"yarn": {
		image: "node", program: []string{"yarn"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install", subcommand{nothing, true, noScripts}}, {"add", subcommand{packages, true, noScripts}}, {"remove", subcommand{names, true, noScripts}},
			{"upgrade up", subcommand{packages, true, noScripts}}, {"list", subcommand{nothing, false, nil}}, {"outdated", subcommand{names, true, nil}},
			{"info", subcommand{packages, true, nil}}, {"why", subcommand{names, false, nil}}, {"audit", subcommand{nothing, true, nil}},
			{"init", subcommand{nothing, false, []string{"--yes"}}}, {"run", subcommand{target, false, nil}}, {"test start", subcommand{nothing, false, nil}},
			{"--version -v", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags("-D --dev -E --exact -O --optional -P --peer -T --tilde --production --prod --frozen-lockfile --immutable --no-lockfile --pure-lockfile "+
			"--json --latest --ignore-scripts --silent -s --yes -y --non-interactive", "--depth --pattern"),
	},
	"pnpm": {
		// corepack fetches the pnpm that the project asks for and checks it.
		image: "node", program: []string{"corepack", "pnpm"}, env: nodeEnv, name: npmName,
		subs: subs{
			{"install i", subcommand{nothing, true, nil}}, {"add", subcommand{packages, true, nil}}, {"remove rm uninstall un", subcommand{names, true, nil}},
			{"update up upgrade", subcommand{packages, true, nil}}, {"list ls", subcommand{names, true, nil}}, {"why", subcommand{names, true, nil}},
			{"outdated", subcommand{names, true, nil}}, {"audit dedupe prune init", subcommand{nothing, true, nil}},
			{"run", subcommand{target, true, nil}}, {"test start", subcommand{nothing, true, nil}}, {"--version -v", subcommand{nothing, true, nil}},
		}.byName(),
		flags: flags("-D --save-dev -E --save-exact -P --save-prod -O --save-optional --save-peer --prod --dev --no-optional --frozen-lockfile --no-frozen-lockfile "+
			"--lockfile-only --json --long --latest -L --offline --prefer-offline --ignore-scripts --silent -s --force", "--depth"),
	},
	"pip": {
		image: "python", program: []string{"pip"}, env: pythonEnv, name: pipName,
		subs: subs{
			{"install", subcommand{packages, true, nil}}, {"uninstall", subcommand{names, false, []string{"--yes"}}}, {"list", subcommand{nothing, false, nil}},
			{"show", subcommand{names, false, nil}}, {"freeze", subcommand{nothing, false, nil}}, {"check", subcommand{nothing, false, nil}},
			{"--version -V", subcommand{nothing, false, nil}},
		}.byName(),
		flags: flags("-U --upgrade --pre --no-deps --dry-run --user --no-cache-dir --force-reinstall --ignore-installed -y --yes -q --quiet -v --verbose "+
			"-u --uptodate --not-required -l --local --files", "-r --requirement -c --constraint --format"),
	},
}

// noScripts is for yarn 1, which heeds no environment here.
var noScripts = []string{"--ignore-scripts"}
