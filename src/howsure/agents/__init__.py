"""Agents as users: a server of tools (Model Context Protocol), and files that tell agents when to use what."""
