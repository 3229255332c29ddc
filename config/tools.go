package config

// ToolsSection holds settings of single tools.
type ToolsSection struct {
	// Currency is the ISO 4217 code of amounts without one.
	Currency string `yaml:"currency"`
	// Search lists the services that search_web asks, in their order.
	Search []string `yaml:"search"`
	// Robots makes fetch_web_page obey the robots.txt of a site.
	Robots bool `yaml:"robots"`
}
