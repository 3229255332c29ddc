package accounts

import "github.com/helve-dev/helve/tool"

// shell is the service that enables shell_run.
func shell() tool.Service {
	return tool.Service{
		Name: "shell", Title: "Command lines", Shared: true, Description: "Enables running command lines (shell_run).",
		Fields: []tool.ServiceField{{Name: "enabled", Type: tool.FieldBoolean, Required: true, Description: "true if command lines may run."}},
	}
}

// cliTools is the service that configures programs for run_cli_tool.
func cliTools() tool.Service {
	return tool.Service{
		Name: "cli_tools", Title: "Command line programs", Shared: true,
		Description: "The policy of a program for run_cli_tool, or a program of your own; its label is the program's name.",
		Fields: []tool.ServiceField{
			{
				Name:        "policy",
				Type:        tool.FieldText,
				Options:     []string{"allowed", "prompt", "blocked"},
				Description: "Whether the program runs, asks a person, or does not run.",
			},
			text("program", "The program's file, for one of your own."),
			{Name: "risk", Type: tool.FieldNumber, Description: "0 to 100."},
			{Name: "network", Type: tool.FieldBoolean, Description: "true if it gets the network."},
			text("args", "Arguments that always come first."), text("version_args", "The arguments that print its version."),
			text("description", "What it does."), text("category", "Where it is listed."),
		},
	}
}

// npm is the service with the registry that install_cli_tool uses.
func npm() tool.Service {
	return tool.Service{
		Name: "npm", Title: "npm registry", Shared: true, Description: "The registry that install_cli_tool installs packages from.",
		Fields: []tool.ServiceField{{Name: "registry", Type: tool.FieldURL, Required: true, Description: "Its address."}},
		Test:   &tool.ServiceTest{URL: "{registry}/-/ping"},
	}
}

// exchangeRates is the service of convert_currency.
func exchangeRates() tool.Service {
	return tool.Service{
		Name: "exchange_rates", Title: "Exchange rates", Description: "Rates for convert_currency, in the format of frankfurter.dev.",
		Fields: []tool.ServiceField{{Name: "base_url", Type: tool.FieldURL, Required: true, Description: "Its address."}},
		Test:   &tool.ServiceTest{URL: "{base_url}/latest"},
	}
}
