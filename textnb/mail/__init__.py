"""Mail in use: what the filter writes into a message, how it decides, what it learns, and the service that runs it.

Nothing is imported here, for the client of the service has to start quickly.
"""
