"""What the report of each result says beyond its document: what was done, its limits, and what to do next."""

from howsure.reports.accounts.base import ACCOUNTS, Account, account_of

__all__ = ["ACCOUNTS", "Account", "account_of"]
