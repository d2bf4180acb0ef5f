"""A sitecustomize that the user has: it must run as without the recorder."""
import builtins

builtins.from_the_users_own_site = "here"
